using System.Globalization;
using Millrace.Tests.Child;

namespace Millrace.Tests.Costs;

/// <summary>The page cache is left as it was: pages that this process brought in are gone, and those that others had read are still there.</summary>
/// <remarks>Shares, not numbers: the kernel also evicts pages.</remarks>
public sealed class UncachedTests : FolderTests
{
    private const int Pages = 12 * 1024 * 1024 / 4096;
    private const string WithoutFlag = "export MILLRACE_MISSING=nothing,RWF_DONTCACHE";
    private const string WithoutBoth = WithoutFlag + ",cachestat";

    public static TheoryData<string, string> Reads
    {
        get
        {
            var reads = new TheoryData<string, string>();
            foreach (string before in (string[])["true", WithoutFlag, WithoutBoth])
            {
                foreach (string way in Uncached.Names)
                {
                    reads.Add(before, way);
                }
            }

            return reads;
        }
    }

    [NeedsTheory(Need.Native | Need.Bash), MemberData(nameof(Reads))]
    public async Task Pages_that_were_not_there_before_are_gone_and_those_of_others_stay(string before, string way)
    {
        int[] pages = await RunAsync(before, "uncached-read", Folder.Path, way, "False");

        Assert.InRange(pages[1], pages[0] * 0.9, pages[0]);
        Assert.InRange(pages[2], 0, Pages * 0.02);
        Assert.InRange(pages[3], 0, Pages * 0.02);
    }

    [NeedsFact(Need.Native | Need.Bash)]
    public async Task Pages_stay_by_default()
    {
        int[] pages = await RunAsync("true", "uncached-read", Folder.Path, "Copy", "True");

        Assert.InRange(pages[2], Pages * 0.5, Pages);
        Assert.InRange(pages[3], Pages * 0.5, Pages);
    }

    [NeedsTheory(Need.Native | Need.Bash)]
    [InlineData("true", "WriteBehind")]
    [InlineData("true", "EveryFlush")]
    [InlineData("true", "DirectEveryFlush")]
    [InlineData(WithoutFlag, "WriteBehind")]
    [InlineData(WithoutFlag, "EveryFlush")]
    public async Task A_file_that_is_on_the_device_leaves_no_pages(string before, string kind)
    {
        int[] pages = await RunAsync(before, "uncached-write", Folder["file"], kind, "False");

        Assert.InRange(pages[0], 0, Pages * 0.02);
    }

    [NeedsFact(Need.Native | Need.Bash)]
    public async Task A_written_file_stays_by_default() =>
        Assert.InRange((await RunAsync("true", "uncached-write", Folder["file"], "WriteBehind", "True"))[0], Pages * 0.5, Pages);

    private static async Task<int[]> RunAsync(string before, params string[] arguments)
    {
        using ChildProcess child = ChildProcess.StartAfter(before, arguments);
        int[] pages = [.. (await child.ReadLineAsync()).Split(' ').Select(text => int.Parse(text, CultureInfo.InvariantCulture))];
        Assert.Equal(0, await child.EndAsync());
        return pages;
    }
}
