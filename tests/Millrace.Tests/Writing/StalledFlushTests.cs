namespace Millrace.Tests.Writing;

/// <summary>Flushes on a file system that makes writers wait: a real one, frozen.</summary>
[Collection(ProcessWide.Name)]
public sealed class StalledFlushTests
{
    private const int DiskBytes = 32 * 1024 * 1024;

    [NeedsFact(Need.Mount | Need.Ext4)]
    public async Task CancelPendingFlush_ends_a_waiting_flush_without_loss_or_repetition()
    {
        using MountedDisk disk = MountedDisk.Formatted("ext4", DiskBytes);
        await using FilePipeWriter writer = await SlowWriterAsync(disk);
        int written = (int)writer.Position;
        writer.Write(TestContent.Between(written, written + 1000).Span);
        disk.Freeze();
        ValueTask<FlushResult> pending = writer.FlushAsync();
        Assert.False(pending.IsCompleted);
        Assert.Throws<InvalidOperationException>(() => writer.GetMemory());

        writer.CancelPendingFlush();

        Assert.True((await pending.Soon()).IsCanceled);
        Assert.Equal(1000, writer.UnflushedBytes);
        writer.Write(TestContent.Between(written + 1000, written + 2000).Span);
        Assert.Equal(2000, writer.UnflushedBytes);
        disk.Thaw();
        Assert.False((await writer.FlushAsync().Soon()).IsCanceled);
        Assert.Equal(0, writer.UnflushedBytes);
        await writer.CommitAsync().Soon();
        Assert.Equal(TestContent.Of(written + 2000).ToArray(), await File.ReadAllBytesAsync(disk["file"]));
    }

    [NeedsFact(Need.Mount | Need.Ext4)]
    public async Task Token_ends_a_waiting_flush_and_the_next_one_finishes_it()
    {
        using MountedDisk disk = MountedDisk.Formatted("ext4", DiskBytes);
        await using FilePipeWriter writer = await SlowWriterAsync(disk);
        int written = (int)writer.Position;
        disk.Freeze();
        using var source = new CancellationTokenSource();
        ValueTask<FlushResult> pending = writer.WriteAsync(TestContent.Between(written, written + 700_000), source.Token);
        Assert.False(pending.IsCompleted);

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await pending.Soon());
        disk.Thaw();
        int accepted = (int)writer.Position - written;
        await writer.WriteAsync(TestContent.Between(written + accepted, written + 700_000)).Soon();
        await writer.CommitAsync().Soon();
        Assert.Equal(TestContent.Of(written + 700_000).ToArray(), await File.ReadAllBytesAsync(disk["file"]));
    }

    [NeedsFact(Need.Mount | Need.Ext4)]
    public async Task Token_ends_a_waiting_commit_and_nothing_is_published()
    {
        using MountedDisk disk = MountedDisk.Formatted("ext4", DiskBytes);
        await using FilePipeWriter writer = await SlowWriterAsync(disk);
        int written = (int)writer.Position;
        writer.Write(TestContent.Between(written, written + 1000).Span);
        disk.Freeze();
        using var source = new CancellationTokenSource();
        ValueTask<CommitResult> pending = writer.CommitAsync(source.Token);
        Assert.False(pending.IsCompleted);

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await pending.Soon());
        Assert.False(File.Exists(disk["file"]));
        disk.Thaw();
        CommitResult commit = await writer.CommitAsync().Soon();
        Assert.Equal(written + 1000, commit.Length);
        Assert.Equal(TestContent.Of(written + 1000).ToArray(), await File.ReadAllBytesAsync(disk["file"]));
    }

    [NeedsFact(Need.Mount | Need.Ext4)]
    public async Task Completing_during_a_wait_leaves_nothing()
    {
        using MountedDisk disk = MountedDisk.Formatted("ext4", DiskBytes);
        using var pool = new CountingPool();
        FilePipeWriter writer = await SlowWriterAsync(disk, pool);
        disk.Freeze();
        ValueTask<FlushResult> pending = writer.WriteAsync(TestContent.Of(200_000));
        Assert.False(pending.IsCompleted);
        writer.CancelPendingFlush();
        await pending.Soon();

        writer.Complete();

        disk.Thaw();
        await pool.AllReturnedAsync().Soon();
        await Bounded.UntilAsync(() => Directory.GetFiles(disk.Path).Length <= 0);
    }

    /// <summary>A writer that has noticed that its device makes it wait: after that the pool writes.</summary>
    private static async Task<FilePipeWriter> SlowWriterAsync(MountedDisk disk, CountingPool? pool = null)
    {
        FilePipeWriter writer = FilePipe.Create(
            disk["file"],
            new FileWriteOptions { Strategy = WriteStrategy.Buffered, Durability = Durability.None, Pool = pool });
        disk.Freeze();

        // On a separate thread: begun after the thaw, on a busy pool, the write would teach the writer nothing.
        var begun = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task first = Task.Factory.StartNew(
            () =>
            {
                begun.SetResult($"/proc/{new FileInfo("/proc/thread-self").LinkTarget}/stat");
                writer.WriteAsync(TestContent.Of(200_000)).AsTask().Wait();
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        string stat = await begun.Task;

        // The system lets a writer wait in the state D: proc_pid_stat(5). Before that the thread may not have begun to write.
        await Bounded.UntilAsync(() => File.ReadAllText(stat).Split(") ")[^1][0] == 'D');
        await Task.Delay(200);
        Assert.False(first.IsCompleted);
        disk.Thaw();
        await first.Soon();
        return writer;
    }
}
