using Millrace.Tests.Infrastructure;

namespace Millrace.Tests.Writing;

public sealed class CommitTests
{
    [Fact]
    public async Task Committed_bytes_have_the_name_and_nothing_else_is_left()
    {
        using var folder = new OwnFolder();
        ReadOnlyMemory<byte> content = TestContent.Of(1_000_000);
        await using (FilePipeWriter writer = FilePipe.Create(folder["file"]))
        {
            await writer.WriteAsync(content);
            Assert.False(File.Exists(folder["file"]));
            FileCommit commit = await writer.CommitAsync();
            Assert.Equal(content.Length, commit.Length);
        }

        Assert.Equal(content.ToArray(), await File.ReadAllBytesAsync(folder["file"]));
        Assert.Equal(["file"], folder.Names);
    }

    [Fact]
    public async Task Disposed_without_a_commit_nothing_is_left()
    {
        using var folder = new OwnFolder();
        await using (FilePipeWriter writer = FilePipe.Create(folder["file"]))
        {
            await writer.WriteAsync(TestContent.Of(100));
            Assert.Single(folder.Names);
        }

        Assert.Empty(folder.Names);
    }
}
