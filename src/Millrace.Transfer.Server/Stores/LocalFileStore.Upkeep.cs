namespace Millrace.Transfer.Server;

/// <summary>What is done in the background.</summary>
public sealed partial class LocalFileStore
{
    /// <summary>How often uploads are looked through at least; more often when they live shorter.</summary>
    /// <remarks>Nobody sees an expired upload meanwhile; only its space is taken a little longer.</remarks>
    private static readonly TimeSpan LongestPeriod = TimeSpan.FromMinutes(10);

    private static readonly TimeSpan ShortestPeriod = TimeSpan.FromSeconds(1);

    private readonly Lock _tellLock = new();
    private Action<int>? _tell;
    private int _untold;

    private static EnumerationOptions Everything { get; } = new()
    {
        RecurseSubdirectories = true,
        AttributesToSkip = FileAttributes.ReparsePoint,
        IgnoreInaccessible = true,
    };

    /// <summary>
    /// Says who is told how many uploads the background threw away, also those before anybody was: a store that is opened
    /// expires at once what became too old while it was closed. One only; it must not throw.
    /// </summary>
    internal void TellExpiredTo(Action<int> tell)
    {
        lock (_tellLock)
        {
            _tell = tell;
            TellExpired(0);
        }
    }

    private void TellExpired(int count)
    {
        lock (_tellLock)
        {
            _untold += count;
            if (_tell is { } tell && _untold > 0)
            {
                tell(_untold);
                _untold = 0;
            }
        }
    }

    private async Task UpkeepAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        if (Native)
        {
            CleanUp();
        }

        await TryAsync(() => Limits.CountAsync(maxAge: long.MaxValue, _end.Token)).ConfigureAwait(false);
        await TryAsync(() => Task.FromResult(_digests.Sweep(Exists, _end.Token))).ConfigureAwait(false);
        TimeSpan period = Options.UploadLifetime / 4;
        period = period > LongestPeriod ? LongestPeriod : period < ShortestPeriod ? ShortestPeriod : period;
        using var timer = new PeriodicTimer(period, Options.Clock);
        do
        {
            await TryAsync(async () => TellExpired(await ExpireUploadsAsync(_end.Token).ConfigureAwait(false)))
                .ConfigureAwait(false);
        }
        while (await timer.WaitForNextTickAsync(_end.Token).ConfigureAwait(false));
    }

    /// <summary>What fails once, because of a device or of somebody who is at the same folder, is tried again another time.</summary>
    private static async Task TryAsync(Func<Task> work)
    {
        try
        {
            await work().ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Nobody is waiting for it.
        }
    }

    /// <summary>Removes what writers of a killed process have left; those of a live one hold theirs.</summary>
    private void CleanUp()
    {
        TryCleanUp(Root);
        try
        {
            foreach (string folder in Directory.EnumerateDirectories(Root, "*", Everything))
            {
                _end.Token.ThrowIfCancellationRequested();
                TryCleanUp(folder);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // A folder that was removed while it was looked through.
        }
    }

    private static void TryCleanUp(string folder)
    {
        try
        {
            FilePipe.CleanUp(folder);
        }
        catch (FilePipeException)
        {
            // Not ours to clean, or gone; what is left over only takes space.
        }
    }

    private bool Exists(TransferName name)
    {
        using StoreFolder? folder = TryOpenFolderOf(name, out string fileName);
        return folder is not null && folder.TryLook(fileName, out _, out _, out _);
    }

    private StoreFolder? TryOpenFolderOf(TransferName name, out string fileName)
    {
        try
        {
            return _tree.TryOpenFolderOf(name, create: false, follow: false, out fileName);
        }
        catch (TransferException)
        {
            fileName = "";
            return null;
        }
    }

    /// <summary>Bytes of all published files.</summary>
    private long CountFiles()
    {
        string hidden = Path.Combine(Root, TransferName.HiddenFolder) + Path.DirectorySeparatorChar;
        long bytes = 0;
        foreach (FileInfo file in new DirectoryInfo(Root).EnumerateFiles("*", Everything))
        {
            if (!file.FullName.StartsWith(hidden, StringComparison.Ordinal)
                && TransferName.TryParse(file.Name, out _))
            {
                bytes += TryLength(file);
            }
        }

        return bytes;
    }

    private static long TryLength(FileInfo file)
    {
        try
        {
            return file.Length;
        }
        catch (IOException)
        {
            // Gone meanwhile.
            return 0;
        }
    }
}
