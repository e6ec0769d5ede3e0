namespace Millrace.Tests.Copying;

/// <summary>Files that share their blocks, on a real file system that can.</summary>
public sealed class ReflinkTests
{
    private const Need Needed = Need.Mount | Need.Xfs | Need.Btrfs;
    private const int Length = 8_000_001;
    private const long DiskBytes = 512L * 1024 * 1024;

    [NeedsTheory(Needed | Need.Native), InlineData("xfs"), InlineData("btrfs")]
    public async Task Blocks_are_shared_where_the_file_system_can(string fileSystem)
    {
        using MountedDisk mounted = MountedDisk.Formatted(fileSystem, DiskBytes);
        string source = mounted["source"];
        string destination = mounted["copy"];
        await File.WriteAllBytesAsync(source, TestContent.Of(Length).ToArray());

        CopyResult copy = await FilePipe.CopyAsync(source, destination, new FileCopyOptions { Verify = true }).Soon();

        Assert.Equal(Length, copy.Length);
        CopyFiles.AssertSame(source, destination);
        Assert.Equal(("reflink", 0), (copy.Method, copy.CopiedBytes));

        // The copy is independent: writes to it do not show in the source.
        await File.WriteAllBytesAsync(destination, TestContent.Inverted(Length));
        Assert.Equal(TestContent.Of(Length).ToArray(), await File.ReadAllBytesAsync(source));
    }

    [NeedsTheory(Needed | Need.Native), InlineData("xfs"), InlineData("btrfs")]
    public async Task Holes_of_shared_files_are_holes(string fileSystem)
    {
        using MountedDisk mounted = MountedDisk.Formatted(fileSystem, DiskBytes);
        CopyFiles.WriteSparse(mounted["source"], 30_000_001, (1_000_000, 500_000));

        await FilePipe.CopyAsync(mounted["source"], mounted["copy"]).Soon();

        Assert.Equal(30_000_001, new FileInfo(mounted["copy"]).Length);
        Assert.Equal(CopyFiles.DataOf(mounted["source"]), CopyFiles.DataOf(mounted["copy"]));
    }

    [NeedsTheory(Needed), InlineData("xfs"), InlineData("btrfs")]
    public async Task NoReflink_makes_an_independent_copy(string fileSystem)
    {
        using MountedDisk mounted = MountedDisk.Formatted(fileSystem, DiskBytes);
        string source = mounted["source"];
        string destination = mounted["copy"];
        await File.WriteAllBytesAsync(source, TestContent.Of(Length).ToArray());

        CopyResult copy = await FilePipe.CopyAsync(source, destination, new FileCopyOptions { NoReflink = true }).Soon();

        Assert.NotEqual("reflink", copy.Method);
        CopyFiles.AssertSame(source, destination);
    }
}
