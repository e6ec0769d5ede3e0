namespace Millrace.Tests.Copying;

/// <summary>Holes stay holes. Without Linux's calls their places are unknown: those copies only have the same bytes.</summary>
public sealed class SparseCopyTests : FolderTests
{
    private const long GiB = 1024L * 1024 * 1024;

    public static TheoryData<string, string> Ways => CopyFiles.Ways;

    public static TheoryData<string> WayNames => CopyFiles.WayNames;

    [Theory, MemberData(nameof(Ways))]
    public async Task Holes_are_kept(string ways, string method)
    {
        (long Length, (long Start, int Length)[] Data)[] files =
        [
            (4_000_000, [(3_000_000, 1_000_000)]),
            (4_000_000, [(0, 500_000), (3_000_000, 1_000_000)]),
            (4_000_001, [(0, 500_000)]),
            (20_000_003, [.. Enumerable.Range(1, 50).Select(i => (i * 300_000L, 4_096 + i))]),
        ];
        foreach ((long length, (long Start, int Length)[] data) in files)
        {
            File.Delete(Folder["source"]);
            CopyFiles.WriteSparse(Folder["source"], length, data);

            CopyResult copy = await CopyFiles.CopyAsync(Folder["source"], Folder["copy"], CopyFiles.Options, ways).Soon();

            Assert.Equal((length, method), (copy.Length, copy.Method));
            CopyFiles.AssertSame(Folder["source"], Folder["copy"]);
            if (Interop.NativeFeatures.Linux)
            {
                Assert.Equal(CopyFiles.DataOf(Folder["source"]), CopyFiles.DataOf(Folder["copy"]));
                Assert.True(copy.CopiedBytes < length);
            }
        }
    }

    [NeedsTheory(Need.Native), MemberData(nameof(WayNames))]
    public async Task File_without_data_stays_a_hole(string ways)
    {
        CopyFiles.WriteSparse(Folder["source"], 5 * GiB);

        CopyResult copy = await CopyFiles.CopyAsync(Folder["source"], Folder["copy"], CopyFiles.Options, ways).Soon();

        Assert.Equal((5 * GiB, 0), (copy.Length, copy.CopiedBytes));
        Assert.Equal(5 * GiB, new FileInfo(Folder["copy"]).Length);
        Assert.Empty(CopyFiles.DataOf(Folder["copy"]));
    }

    [NeedsTheory(Need.Native), MemberData(nameof(Ways))]
    public async Task Five_GiB_with_a_little_data_are_copied_with_that_data_only(string ways, string method)
    {
        CopyFiles.WriteSparse(Folder["source"], (5 * GiB) + 1, (17, 1_000), ((4 * GiB) - 500, 1_000), (5 * GiB, 1));

        CopyResult copy = await CopyFiles.CopyAsync(Folder["source"], Folder["copy"], CopyFiles.Options, ways).Soon();

        Assert.Equal(method, copy.Method);
        Assert.InRange(copy.CopiedBytes, 2_001, 100_000);
        Assert.Equal((5 * GiB) + 1, new FileInfo(Folder["copy"]).Length);
        Assert.Equal(CopyFiles.DataOf(Folder["source"]), CopyFiles.DataOf(Folder["copy"]));
    }
}
