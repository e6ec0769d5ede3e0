using System.Globalization;

namespace Millrace.Tests.Costs;

/// <summary>A small buffer is a wish about chunks: the file is read in large blocks whatever it is.</summary>
public sealed class SystemCallTests
{
    private const int Length = 4 * 1024 * 1024;

    // 16 blocks of 256 KiB; a few more where the size is not known or a read is tried before it is waited for.
    private const int Most = 40;

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task Small_chunks_need_no_more_reads_than_large_ones(ReadStrategy strategy, bool portable)
    {
        // In a process that does nothing else.
        using ChildProcess child = ChildProcess.Start(
            "count-reads", TestFolder.SharedFile(Length), strategy.ToString(), portable.ToString());
        long[] counted = [.. (await child.ReadLineAsync()).Split(' ').Select(text => long.Parse(text, CultureInfo.InvariantCulture))];
        Assert.Equal(0, await child.EndAsync());

        Assert.InRange(counted[0], 0, Most);

        // The event source's record of it.
        Assert.InRange(counted[1], 1, Most);
        Assert.Equal(Length, counted[2]);
    }
}
