namespace Millrace.Transfer.Server;

/// <summary>Lets one process at a time change a file. The lock is the system's: a killed process holds none.</summary>
internal sealed class FileLock : IDisposable
{
    private const int Tries = 100;
    private static readonly TimeSpan BetweenTries = TimeSpan.FromMilliseconds(50);

    private readonly FileStream _file;

    private FileLock(FileStream file) => _file = file;

    /// <summary>Waits up to five seconds. The file stays: if it were removed, those who wait would lock another one.</summary>
    public static async ValueTask<FileLock> TakeAsync(string path, CancellationToken cancellationToken)
    {
        var options = new FileStreamOptions
        {
            Mode = FileMode.OpenOrCreate,
            Access = FileAccess.ReadWrite,
            Share = FileShare.None,
            BufferSize = 0,
        };
        if (!OperatingSystem.IsWindows())
        {
            // Everybody who can open it can hold it.
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        for (int i = 1; ; i++)
        {
            try
            {
                return new FileLock(new FileStream(path, options));
            }
            catch (IOException exception) when (exception is not (DirectoryNotFoundException or PathTooLongException))
            {
                if (i == Tries)
                {
                    throw new TransferException(
                        TransferError.Failed,
                        $"'{path}' is locked by another process: {exception.Message} Try again when that has ended.",
                        innerException: exception);
                }
            }

            await Task.Delay(BetweenTries, cancellationToken);
        }
    }

    public void Dispose() => _file.Dispose();
}
