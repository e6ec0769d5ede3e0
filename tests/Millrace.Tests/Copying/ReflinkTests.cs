using Millrace.Interop;
using Millrace.Tests.Infrastructure;

namespace Millrace.Tests.Copying;

/// <summary>
/// Files that share their blocks, on a real file system that can. Where its tools are missing or nobody may mount it,
/// the same copies fall back; ./test installs the tools.
/// </summary>
public sealed class ReflinkTests
{
    private const int Length = 8_000_001;

    [Theory, InlineData("mkfs.xfs"), InlineData("mkfs.btrfs")]
    public async Task Blocks_are_shared_where_the_file_system_can(string makeFileSystem)
    {
        using MountedFolder? mounted = MountedFolder.TryShared(makeFileSystem);
        using var other = new OwnFolder();
        string source = Path.Combine(mounted?.Path ?? other.Path, "source");
        string destination = Path.Combine(mounted?.Path ?? other.Path, "copy");
        await File.WriteAllBytesAsync(source, TestContent.Of(Length).ToArray());

        CopyResult copy = await FilePipe.CopyAsync(source, destination, new FileCopyOptions { Verify = true }).Soon();

        Assert.Equal(Length, copy.Length);
        CopyFiles.AssertSame(source, destination);
        if (mounted is null || !NativeFeatures.Linux)
        {
            Assert.NotEqual("reflink", copy.Method);
            return;
        }

        Assert.Equal(("reflink", 0), (copy.Method, copy.CopiedBytes));

        // The copy is its own: what is written to it does not show in the source.
        await File.WriteAllBytesAsync(destination, TestContent.Inverted(Length));
        Assert.Equal(TestContent.Of(Length).ToArray(), await File.ReadAllBytesAsync(source));
    }

    [Theory, InlineData("mkfs.xfs"), InlineData("mkfs.btrfs")]
    public async Task Holes_of_shared_files_are_holes(string makeFileSystem)
    {
        using MountedFolder? mounted = MountedFolder.TryShared(makeFileSystem);
        if (mounted is null || !NativeFeatures.Linux)
        {
            return;
        }

        CopyFiles.WriteSparse(mounted["source"], 30_000_001, (1_000_000, 500_000));

        await FilePipe.CopyAsync(mounted["source"], mounted["copy"]).Soon();

        Assert.Equal(30_000_001, new FileInfo(mounted["copy"]).Length);
        Assert.Equal(CopyFiles.DataOf(mounted["source"]), CopyFiles.DataOf(mounted["copy"]));
    }

    [Theory, InlineData("mkfs.xfs"), InlineData("mkfs.btrfs")]
    public async Task Sharing_can_be_refused(string makeFileSystem)
    {
        using MountedFolder? mounted = MountedFolder.TryShared(makeFileSystem);
        using var other = new OwnFolder();
        string source = Path.Combine(mounted?.Path ?? other.Path, "source");
        string destination = Path.Combine(mounted?.Path ?? other.Path, "copy");
        await File.WriteAllBytesAsync(source, TestContent.Of(Length).ToArray());

        CopyResult copy = await FilePipe.CopyAsync(source, destination, new FileCopyOptions { NoReflink = true }).Soon();

        Assert.NotEqual("reflink", copy.Method);
        CopyFiles.AssertSame(source, destination);
    }
}
