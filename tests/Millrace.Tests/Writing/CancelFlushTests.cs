namespace Millrace.Tests.Writing;

/// <summary>Cancellation where nothing waits; waiting flushes are in <see cref="StalledFlushTests"/>.</summary>
public sealed class CancelFlushTests : FolderTests
{
    [Theory, EveryWriter]
    public async Task A_canceled_flush_reports_it_once_and_loses_nothing(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        writer.Write(TestContent.Of(100).Span);
        writer.CancelPendingFlush();
        writer.CancelPendingFlush();
        FlushResult canceled = await writer.FlushAsync();
        Assert.True(canceled.IsCanceled);
        Assert.Equal(100, writer.UnflushedBytes);
        FlushResult flushed = await writer.FlushAsync();
        Assert.False(flushed.IsCanceled);
        await writer.CommitAsync();
        Assert.Equal(TestContent.Of(100).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
    }

    [Theory, EveryWriter]
    public async Task A_canceled_write_has_accepted_its_bytes(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        writer.CancelPendingFlush();
        FlushResult canceled = await writer.WriteAsync(TestContent.Of(1_000_000));
        Assert.True(canceled.IsCanceled);
        Assert.Equal(1_000_000, writer.Position);
        FlushResult flushed = await writer.WriteAsync(TestContent.Between(1_000_000, 1_000_010));
        Assert.False(flushed.IsCanceled);
        await writer.CommitAsync();
        Assert.Equal(TestContent.Of(1_000_010).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
    }

    [Theory, EveryWriter]
    public async Task A_canceled_token_accepts_nothing_and_leaves_the_writer_usable(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        writer.Write(TestContent.Of(10).Span);
        var canceled = new CancellationToken(canceled: true);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await writer.FlushAsync(canceled));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await writer.WriteAsync(new byte[10], canceled));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await writer.CommitAsync(canceled));
        Assert.Equal(10, writer.Position);
        Assert.False(File.Exists(Folder["file"]));
        await writer.CommitAsync();
        Assert.Equal(TestContent.Of(10).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
    }
}
