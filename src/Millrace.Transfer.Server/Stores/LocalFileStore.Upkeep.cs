using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <content>What happens at the start and in the background.</content>
public sealed partial class LocalFileStore
{
    /// <summary>How often expired uploads are searched for; more often if they live shorter.</summary>
    /// <remarks>An expired upload is invisible meanwhile; only its space is used a little longer.</remarks>
    private static readonly TimeSpan LongestPeriod = TimeSpan.FromMinutes(10);

    private static readonly TimeSpan ShortestPeriod = TimeSpan.FromSeconds(1);

    /// <summary>One search at a time: two could count the same upload twice.</summary>
    private readonly SemaphoreSlim _expiring = new(1, 1);
    private readonly Lock _tellLock = new();
    private Action<int>? _tell;
    private int _untold;

    internal static EnumerationOptions Everything { get; } = new()
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

    /// <inheritdoc/>
    public async ValueTask<int> ExpireUploadsAsync(CancellationToken cancellationToken)
    {
        await _expiring.WaitAsync(cancellationToken);
        try
        {
            return await ExpireAsync(cancellationToken);
        }
        finally
        {
            _expiring.Release();
        }
    }

    private async ValueTask<int> ExpireAsync(CancellationToken cancellationToken)
    {
        int expired = 0;
        foreach (string folder in Directory.EnumerateDirectories(_uploadsPath))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!UploadId.TryParse(Path.GetFileName(folder), out UploadId id))
            {
                continue;
            }

            LocalUpload? upload = Load(id);
            if (upload is null)
            {
                // Its start was interrupted, or it is damaged: only its folder has a time.
                if (Options.Clock.GetUtcNow().UtcDateTime - Directory.GetLastWriteTimeUtc(folder) > Options.UploadLifetime
                    && TryDeleteFolder(folder))
                {
                    expired++;
                }
            }
            else if (upload.HasExpired)
            {
                // A published upload only loses the record that it was one.
                bool unfinished = !upload.IsPublished;
                if (await AbortUploadAsync(id, cancellationToken) && unfinished)
                {
                    expired++;
                }
            }
        }

        return expired;
    }

    /// <summary>Loads the uploads of earlier processes, complete or in the middle of something.</summary>
    private void LoadUploads()
    {
        foreach (string folder in Directory.EnumerateDirectories(_uploadsPath))
        {
            if (UploadId.TryParse(Path.GetFileName(folder), out UploadId id) && LocalUpload.TryLoad(id, this) is { } upload)
            {
                RecoverPublication(upload);
                upload.Reservation.Set(upload.IsPublished ? 0 : upload.Offset);
                upload.ForgetRecord();
                _uploads[id] = upload;
            }
        }

        foreach (LocalUpload upload in _uploads.Values.Where(static upload => upload.IsPublished).OrderBy(static upload => upload.Touched))
        {
            upload.ReleaseCount();
            _finished.Enqueue(upload.Id);
        }
    }

    /// <summary>Finds out whether an upload that was about to be published was published before the process died.</summary>
    private void RecoverPublication(LocalUpload upload)
    {
        if (upload.Record is not { IsPublished: false, Published: { } intent })
        {
            return;
        }

        FileFacts? found = TryLook(upload.Name);
        bool isThere = found is { } facts && facts.Length == intent.Length && facts.Modified == intent.Modified;
        if (isThere || !File.Exists(upload.DataPath))
        {
            // If it was replaced or deleted since, its tag is lost; a new one is as unique.
            string tag = isThere ? found!.Value.ToTag().Value : RandomNumberGenerator.GetHexString(20, lowercase: true);
            upload.RecoverResultAsync(tag).AsTask().GetAwaiter().GetResult();
        }
    }

    private FileFacts? TryLook(TransferName name)
    {
        try
        {
            using SafeFileHandle? file = _tree.TryOpenFile(name);
            return file is null ? null : _tree.Look(file);
        }
        catch (TransferException)
        {
            return null;
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

        DeleteRemains();
        await TryAsync(() => Limits.CountAsync(maxAge: long.MaxValue, _end.Token));
        await TryAsync(() => Task.FromResult(_digests.Sweep(Exists, _end.Token)));
        TimeSpan shortest = Options.UploadLifetime < Options.EmptyUploadLifetime ? Options.UploadLifetime : Options.EmptyUploadLifetime;
        TimeSpan period = shortest / 4;
        period = period > LongestPeriod ? LongestPeriod : period < ShortestPeriod ? ShortestPeriod : period;
        using var timer = new PeriodicTimer(period, Options.Clock);
        do
        {
            await TryAsync(async () => TellExpired(await ExpireUploadsAsync(_end.Token)));
        }
        while (await timer.WaitForNextTickAsync(_end.Token));
    }

    /// <summary>Ignores a failure of the device, or of another user of the folder; the next period tries again.</summary>
    private static async Task TryAsync(Func<Task> work)
    {
        try
        {
            await work();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Nobody is waiting for it.
        }
    }

    /// <summary>Removes the staged files of killed processes; those of live ones are locked.</summary>
    private void CleanUp()
    {
        TryCleanUp(Root);
        foreach (FolderWalk.Entry entry in FolderWalk.Enumerate(Root, Native).Where(static entry => entry.IsFolder))
        {
            _end.Token.ThrowIfCancellationRequested();
            TryCleanUp(entry.Path);
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
            // Not ours to clean, or gone; the remains only use space.
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

    /// <summary>Bytes of all published files, and of deleted ones that still exist.</summary>
    private long CountFiles() =>
        FolderWalk.Enumerate(Root, Native, except: NameRules.HiddenFolder).Sum(static entry => entry.CountedBytes)
        + FolderWalk.Enumerate(RemovedPath, Native).Sum(static entry => entry.CountedBytes);
}
