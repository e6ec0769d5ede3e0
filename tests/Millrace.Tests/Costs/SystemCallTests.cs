using Millrace.Diagnostics;

namespace Millrace.Tests.Costs;

/// <summary>A small buffer is a wish about chunks: the file is read in large blocks whatever it is.</summary>
[Collection(ProcessWide.Name)]
public sealed class SystemCallTests
{
    private const int Length = 4 * 1024 * 1024;

    // 16 blocks of 256 KiB; a few more where the size is not known or a read is tried before it is waited for.
    private const int Most = 40;

    [Theory, EveryValue]
    public async Task Small_chunks_need_no_more_fills_than_large_ones(ReadStrategy strategy, bool portable)
    {
        long before = Reads();

        await ReadAsync(strategy, portable);

        Assert.InRange(Reads() - before, 1, Most);
    }

    [Theory, EveryValue]
    public async Task Small_chunks_need_no_more_system_calls_than_large_ones(ReadStrategy strategy, bool portable)
    {
        await ReadAsync(strategy, portable);
        long least = await Least.OfAsync(Least.Reads, Most, () => ReadAsync(strategy, portable));

        Assert.InRange(least, 0, Most);
    }

    private static async Task ReadAsync(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = TestReader.Open(
            TestFolder.SharedFile(Length), strategy, portable, new FileReadOptions { BufferSize = 2048 });
        await reader.AssertRestAsync(0, Length);
    }

    private static long Reads() =>
        MillraceEventSource.Log.SynchronousReads() + MillraceEventSource.Log.AsynchronousReads();
}
