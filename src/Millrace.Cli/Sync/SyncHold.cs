using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>
/// Lets one sync at a time change a target. A file lock keeps processes of a user apart, and a lock of the server all machines.
/// Two runs would undo each other's work.
/// </summary>
internal static class SyncHold
{
    private const int KeyLength = 32;

    /// <summary>How often a run that waits for another one looks whether it has ended.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(200);

    /// <summary>The same for a server, which is asked less often.</summary>
    private static readonly TimeSpan RemotePause = TimeSpan.FromSeconds(2);

    /// <summary>Runs a sync while no other one changes the target.</summary>
    /// <param name="to">The target.</param>
    /// <param name="waits">Whether to wait for another sync, instead of failing.</param>
    /// <param name="run">What to do; returns the exit code.</param>
    /// <param name="stop">Ends it.</param>
    public static async Task<int> RunAsync(Side to, bool waits, Func<CancellationToken, Task<int>> run, CancellationToken stop)
    {
        FileStream file = await WaitAsync(to, waits, Pause, () => Task.FromResult(Open(to)), stop).ConfigureAwait(false);
        await using ConfiguredAsyncDisposable ofFile = file.ConfigureAwait(false);
        string key = await KeyOfAsync(file, stop).ConfigureAwait(false);
        SyncLock? taken = await WaitAsync(
            to, waits, RemotePause, () => SyncLock.TakeAsync(to.Folder, Holder, key, stop), stop).ConfigureAwait(false);
        if (taken is null)
        {
            return await run(stop).ConfigureAwait(false);
        }

        await using ConfiguredAsyncDisposable ofLock = taken.ConfigureAwait(false);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(stop, taken.Lost);
        int code;
        try
        {
            code = await run(both.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!stop.IsCancellationRequested)
        {
            code = ExitCode.Stopped;
        }

        return code == ExitCode.Stopped && !stop.IsCancellationRequested
            ? throw new TransferException(
                TransferError.Unavailable,
                $"Another sync into '{to.Text}' has begun, because the server did not hear of this one for a minute. Run the command again when that has ended.",
                to.Text)
            : code;
    }

    private static string Holder => $"{Environment.UserName} on {Environment.MachineName}, process {Environment.ProcessId}";

    private static async Task<T> WaitAsync<T>(Side to, bool waits, TimeSpan pause, Func<Task<T>> take, CancellationToken stop)
    {
        while (true)
        {
            try
            {
                return await take().ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is IOException and not TransferException || IsHeld(exception))
            {
                if (!waits)
                {
                    string what = exception is TransferException held ? held.Reason : $"Another sync into '{to.Text}' is running.";
                    throw new TransferException(TransferError.Unavailable, $"{what} Wait for it, or add --wait.", to.Text, exception);
                }
            }

            await Task.Delay(pause, stop).ConfigureAwait(false);
        }
    }

    private static bool IsHeld(Exception exception) => exception is TransferException { Error: TransferError.Unavailable, Status: 423 };

    /// <remarks>
    /// The file stays: another process may have it open and lock it at any time, and the next run uses its key.
    /// </remarks>
    private static FileStream Open(Side to)
    {
        string folder = StateFolder.Of("sync");
        Directory.CreateDirectory(folder);
        string name = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(to.Text)).AsSpan(0, 16));
        var options = new FileStreamOptions { Mode = FileMode.OpenOrCreate, Access = FileAccess.ReadWrite, Share = FileShare.None, BufferSize = 0 };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        return new FileStream(Path.Combine(folder, name), options);
    }

    /// <summary>The secret for the server's lock: with the same one, the next run takes over the lock of a run that was killed.</summary>
    private static async Task<string> KeyOfAsync(FileStream file, CancellationToken stop)
    {
        byte[] content = new byte[KeyLength];
        int read = await file.ReadAtLeastAsync(content, content.Length, throwOnEndOfStream: false, stop).ConfigureAwait(false);
        if (read == KeyLength && content.All(static one => char.IsAsciiHexDigit((char)one)))
        {
            return Encoding.ASCII.GetString(content);
        }

        string key = RandomNumberGenerator.GetHexString(KeyLength, lowercase: true);
        file.SetLength(0);
        await file.WriteAsync(Encoding.ASCII.GetBytes(key), stop).ConfigureAwait(false);
        return key;
    }
}
