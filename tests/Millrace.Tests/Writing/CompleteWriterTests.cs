namespace Millrace.Tests.Writing;

/// <summary>Ending a writer.</summary>
public sealed class CompleteWriterTests : FolderTests
{
    [Theory, EveryWriter]
    public async Task Complete_without_commit_leaves_nothing(string kind)
    {
        FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        await writer.WriteAsync(new byte[700_000]);
        writer.Write(new byte[100]);
        writer.Complete();
        await Folder.EmptyAsync();
    }

    [Theory, EveryWriter]
    public async Task Complete_with_exception_leaves_nothing_and_does_not_throw_it(string kind)
    {
        await File.WriteAllTextAsync(Folder["file"], "old");
        FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        await writer.WriteAsync(new byte[700_000]);
        await writer.CompleteAsync(new InvalidDataException("the caller's own"));
        await Folder.HoldsOnlyAsync("file");
        Assert.Equal("old", await File.ReadAllTextAsync(Folder["file"]));
    }

    [Theory, EveryWriter]
    public async Task Completing_twice_does_nothing_more(string kind)
    {
        FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        await writer.WriteAsync(new byte[10]);
        await writer.CommitAsync();
        writer.Complete();
        writer.Complete(new InvalidDataException());
        await writer.CompleteAsync();
        writer.Dispose();
        await writer.DisposeAsync();
        Assert.Equal(10, new FileInfo(Folder["file"]).Length);
    }

    [Theory, EveryWriter]
    public async Task Every_call_after_completion_throws(string kind)
    {
        FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        _ = writer.GetMemory();
        writer.Complete();
        Assert.Throws<InvalidOperationException>(() => writer.GetMemory());
        Assert.Throws<InvalidOperationException>(() => writer.GetSpan());
        Assert.Throws<InvalidOperationException>(() => writer.Advance(0));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await writer.FlushAsync());
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await writer.WriteAsync(new byte[1]));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await writer.CommitAsync());
        writer.CancelPendingFlush();
    }

    [Theory, EveryWriter(RentsFromPool = true)]
    public async Task Rented_memory_is_returned_however_the_writer_ends(string kind)
    {
        using var pool = new CountingPool();
        foreach (int length in new[] { 0, 1, 300_000, 2_000_000 })
        {
            FilePipeWriter committed = WriterKind.Of(kind).Create(Folder["file"], pool);
            committed.Write(TestContent.Of(length).Span);
            await committed.CommitAsync();
            FilePipeWriter disposed = WriterKind.Of(kind).Create(Folder["file"], pool);
            disposed.Write(TestContent.Of(length).Span);
            await disposed.DisposeAsync();
            FilePipeWriter completed = WriterKind.Of(kind).Create(Folder["file"], pool);
            completed.Write(TestContent.Of(length).Span);
            completed.GetMemory(3_000_000).Span[0] = 1;
            await completed.FlushAsync();
            completed.Complete(new InvalidDataException());
            await pool.AllReturnedAsync().Soon();
        }

        Assert.NotEmpty(pool.Sizes);
    }
}
