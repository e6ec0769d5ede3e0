namespace Millrace.Transfer.Server;

/// <summary>What happens to a store at the start and in the background. Thread-safe.</summary>
internal sealed class LocalUpkeep(LocalStore store, UploadRegistry registry, LocalFolders folders, TransferMeter meter) : IAsyncDisposable
{
    /// <summary>One search at a time: two could count the same upload twice.</summary>
    private readonly SemaphoreSlim _expiring = new(1, 1);
    private readonly CancellationTokenSource _end = new();
    private readonly long _opened = store.Options.TimeProvider.GetTimestamp();
    private Task _running = Task.CompletedTask;
    private long _expired;

    /// <summary>See <see cref="IUploadStore.Expiring"/>.</summary>
    public UploadExpiry? Expiring { get; set; }

    /// <summary>Uploads that have expired since the start; for tests.</summary>
    public long Expired => Interlocked.Read(ref _expired);

    public void Start()
    {
        if (store.Options.ReadOnly)
        {
            _running = Task.Run(() => TryAsync(() => Task.FromResult(store.Digests.Sweep(Exists, _end.Token))));
            return;
        }

        if (!store.Native)
        {
            // The framework creates a file and locks it in two steps, and a clean-up in between would delete it.
            CleanUp();
        }

        if (Directory.Exists(store.CopiesPath))
        {
            // Of a process that was killed.
            Directory.Delete(store.CopiesPath, recursive: true);
        }

        _running = Task.Run(RunAsync);
    }

    /// <returns>How many unfinished uploads were deleted.</returns>
    public async ValueTask<int> ExpireAsync(CancellationToken cancellationToken)
    {
        if (store.Options.ReadOnly)
        {
            return 0;
        }

        await _expiring.WaitAsync(cancellationToken);
        int expired = 0;
        try
        {
            foreach (string folder in Directory.EnumerateDirectories(store.UploadsPath))
            {
                cancellationToken.ThrowIfCancellationRequested();
                if (UploadId.TryParse(Path.GetFileName(folder), out UploadId id) && await ExpireAsync(id, folder, cancellationToken))
                {
                    expired++;
                }
            }

            return expired;
        }
        finally
        {
            Interlocked.Add(ref _expired, expired);
            meter.Upload("expired", expired);
            _expiring.Release();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _expiring.Dispose();
        _end.Dispose();
    }

    private async ValueTask<bool> ExpireAsync(UploadId id, string folder, CancellationToken cancellationToken)
    {
        if (registry.Get(id) is not { } upload)
        {
            // Its start was interrupted, or it is damaged: only its folder has a time.
            return store.Options.TimeProvider.GetUtcNow().UtcDateTime - Directory.GetLastWriteTimeUtc(folder) > store.Options.UploadLifetime
                && UploadRegistry.TryDeleteFolder(folder);
        }

        // A published upload only loses the record that it was one.
        bool isUnfinished = !upload.IsPublished;
        return upload.HasExpired
            && !(isUnfinished && AwaitsReport(upload))
            && await (isUnfinished && Expiring is { } expiring
                ? expiring(upload.ToStatus(), () => registry.RemoveAsync(id, cancellationToken))
                : registry.RemoveAsync(id, cancellationToken))
            && isUnfinished;
    }

    private bool AwaitsReport(LocalUpload upload)
    {
        try
        {
            return UploadRules.AwaitsReport(upload.Record, Expiring, store.Options.TimeProvider.GetElapsedTime(_opened));
        }
        catch (TransferException)
        {
            // It was deleted meanwhile, or cannot be read.
            return false;
        }
    }

    private async Task RunAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        if (store.Native)
        {
            CleanUp();
        }

        folders.DeleteRemains();
        await TryAsync(() => Task.Run(() => store.Trash?.Recover()));
        await TryAsync(() => store.Limits.CountAsync(maxAge: long.MaxValue, _end.Token));
        await TryAsync(() => Task.FromResult(store.Digests.Sweep(Exists, _end.Token)));
        using var timer = new PeriodicTimer(
            UploadRules.Period(store.Options.UploadLifetime, store.Options.EmptyUploadLifetime), store.Options.TimeProvider);
        do
        {
            await TryAsync(async () => await ExpireAsync(_end.Token));
            await TryAsync(() => Task.Run(() => store.Trash?.Expire(_end.Token)));
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
            // No caller waits for it.
        }
    }

    /// <summary>Removes the staged files of killed processes; those of live ones are locked.</summary>
    private void CleanUp()
    {
        TryCleanUp(store.Root);
        foreach (FolderWalk.Entry entry in FolderWalk.Enumerate(store.Root, store.Native).Where(static entry => entry.IsFolder))
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
        try
        {
            using StoreFolder? folder = store.Tree.TryOpenFolderOf(name, create: false, follow: false, out string fileName);
            return folder is not null && folder.TryLook(fileName, out _, out _, out _);
        }
        catch (TransferException)
        {
            return false;
        }
    }
}
