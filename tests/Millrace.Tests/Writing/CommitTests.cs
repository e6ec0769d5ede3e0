namespace Millrace.Tests.Writing;

public sealed class CommitTests : FolderTests
{
    [Fact]
    public async Task Commit_publishes_the_file_and_leaves_nothing_else()
    {
        ReadOnlyMemory<byte> content = TestContent.Of(1_000_000);
        await using (FilePipeWriter writer = FilePipe.Create(Folder["file"]))
        {
            await writer.WriteAsync(content);
            Assert.False(File.Exists(Folder["file"]));
            CommitResult commit = await writer.CommitAsync();
            Assert.Equal(content.Length, commit.Length);
        }

        Assert.Equal(content.ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
        Assert.Equal(["file"], Folder.Names);
    }

    [Theory, EveryWriter]
    public void Synchronous_commit_publishes_the_same_file(string kind)
    {
        using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        writer.Write(TestContent.Of(1_000_001).Span);
        CommitResult commit = writer.Commit();
        Assert.Equal(1_000_001, commit.Length);
        Assert.Equal(TestContent.Of(1_000_001).ToArray(), File.ReadAllBytes(Folder["file"]));
        Assert.Equal(["file"], Folder.Names);
        Assert.Throws<InvalidOperationException>(() => writer.Commit());
    }

    [Theory, EveryWriter]
    public async Task Commit_waits_for_its_prerequisite_before_it_gives_the_name(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        await writer.WriteAsync(TestContent.Of(1000));
        await Assert.ThrowsAsync<TimeZoneNotFoundException>(async () =>
            await writer.CommitAsync(Task.FromException(new TimeZoneNotFoundException()), default));
        var prerequisite = new TaskCompletionSource();
        using var cancellation = new CancellationTokenSource();
        Task waiting = writer.CommitAsync(prerequisite.Task, cancellation.Token).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        Task<CommitResult> commit = writer.CommitAsync(prerequisite.Task, default).AsTask();
        Assert.False(File.Exists(Folder["file"]));
        prerequisite.SetResult();
        Assert.Equal(1000, (await commit).Length);
        Assert.Equal(TestContent.Of(1000).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
    }

    [Fact]
    public async Task Dispose_without_commit_leaves_nothing()
    {
        await using (FilePipeWriter writer = FilePipe.Create(Folder["file"]))
        {
            await writer.WriteAsync(TestContent.Of(100));
            Assert.Single(Folder.Names);
        }

        Assert.Empty(Folder.Names);
    }
}
