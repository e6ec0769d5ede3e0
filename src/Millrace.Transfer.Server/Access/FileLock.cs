namespace Millrace.Transfer.Server;

/// <summary>Lets one process at a time change a file. The lock is the system's: a killed process holds none.</summary>
internal sealed class FileLock : IDisposable
{
    private const int Tries = 100;
    private static readonly TimeSpan BetweenTries = TimeSpan.FromMilliseconds(50);

    private readonly FileStream _file;

    private FileLock(FileStream file) => _file = file;

    /// <summary>Waits for it, up to five seconds.</summary>
    /// <param name="path">A file of its own, which stays: one that was removed would be another lock for who still waits.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public static async ValueTask<FileLock> TakeAsync(string path, CancellationToken cancellationToken)
    {
        for (int i = 1; ; i++)
        {
            try
            {
                return new FileLock(new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, bufferSize: 0));
            }
            catch (IOException exception) when (exception is not (DirectoryNotFoundException or PathTooLongException))
            {
                if (i == Tries)
                {
                    throw new TransferException(
                        TransferError.Failed,
                        $"'{path}' is held by another process for too long: {exception.Message} Try again when it has ended.",
                        innerException: exception);
                }
            }

            await Task.Delay(BetweenTries, cancellationToken).ConfigureAwait(false);
        }
    }

    public void Dispose() => _file.Dispose();
}
