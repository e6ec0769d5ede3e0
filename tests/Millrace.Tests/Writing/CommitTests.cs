namespace Millrace.Tests.Writing;

public sealed class CommitTests
{
    [Fact]
    public async Task Commit_publishes_the_file_and_leaves_nothing_else()
    {
        using var folder = new TemporaryFolder();
        ReadOnlyMemory<byte> content = TestContent.Of(1_000_000);
        await using (FilePipeWriter writer = FilePipe.Create(folder["file"]))
        {
            await writer.WriteAsync(content);
            Assert.False(File.Exists(folder["file"]));
            CommitResult commit = await writer.CommitAsync();
            Assert.Equal(content.Length, commit.Length);
        }

        Assert.Equal(content.ToArray(), await File.ReadAllBytesAsync(folder["file"]));
        Assert.Equal(["file"], folder.Names);
    }

    [Theory, EveryWriter]
    public void Synchronous_commit_publishes_the_same_file(string kind)
    {
        using var folder = new TemporaryFolder();
        using FilePipeWriter writer = WriterKind.Of(kind).Create(folder["file"]);
        writer.Write(TestContent.Of(1_000_001).Span);
        CommitResult commit = writer.Commit();
        Assert.Equal(1_000_001, commit.Length);
        Assert.Equal(TestContent.Of(1_000_001).ToArray(), File.ReadAllBytes(folder["file"]));
        Assert.Equal(["file"], folder.Names);
        Assert.Throws<InvalidOperationException>(() => writer.Commit());
    }

    [Fact]
    public async Task Dispose_without_commit_leaves_nothing()
    {
        using var folder = new TemporaryFolder();
        await using (FilePipeWriter writer = FilePipe.Create(folder["file"]))
        {
            await writer.WriteAsync(TestContent.Of(100));
            Assert.Single(folder.Names);
        }

        Assert.Empty(folder.Names);
    }
}
