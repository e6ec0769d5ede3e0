namespace Millrace.Tests.Writing;

public sealed class CommitTests
{
    [Fact]
    public async Task Committed_bytes_have_the_name_and_nothing_else_is_left()
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
    public void Committed_on_the_calling_thread_it_is_the_same(string kind)
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
    public async Task Disposed_without_a_commit_nothing_is_left()
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
