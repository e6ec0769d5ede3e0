using System.Globalization;
using Millrace.Writing;

namespace Millrace.Tests.Costs;

/// <summary>Small chunks are gathered, large ones are not taken apart.</summary>
public sealed class WriterSystemCallTests
{
    private const int Length = CountedWrites.Length;

    // 16 blocks of 256 KiB, and a rest of less than a page now and then.
    [NeedsTheory(Need.Linux), EveryWriter]
    public async Task Small_chunks_are_combined_into_large_writes(string kind) =>
        Assert.InRange(await CountAsync(kind, "small"), 1, 20);

    [NeedsTheory(Need.Linux)]
    [InlineData("Buffered")]
    [InlineData("WriteBehind")]
    [InlineData("Portable")]
    public async Task A_large_chunk_is_written_in_as_few_calls_as_suit_the_processor_and_is_not_copied(string kind)
    {
        Assert.Equal(Length / StagedFile.UsuallyAtOnce, await CountAsync(kind, "large"));

        // Not copied: nothing was rented to copy to.
        using var folder = new TemporaryFolder();
        using var pool = new CountingPool();
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(folder["file"], pool);
        await writer.WriteAsync(TestContent.Of(1024 * 1024));
        await writer.CommitAsync();
        Assert.Empty(pool.Sizes);
    }

    [NeedsTheory(Need.Linux | Need.Bash), InlineData("Buffered"), InlineData("Portable")]
    public async Task Variable_fixes_the_bytes_of_one_write(string kind) =>
        Assert.Equal(Length / CountedWrites.FixedBytes, await CountAsync(kind, "large", $"export MILLRACE_BLOCK_BYTES={CountedWrites.FixedBytes}"));

    [NeedsTheory(Need.Linux), InlineData("Buffered"), InlineData("Portable")]
    public async Task Option_fixes_the_bytes_of_one_write(string kind) =>
        Assert.Equal(Length / CountedWrites.FixedBytes, await CountAsync(kind, "fixed"));

    [NeedsFact(Need.Native)]
    public async Task Buffered_bytes_and_the_chunk_share_one_write() =>
        Assert.Equal(Length / Math.Min(512 * 1024, StagedFile.UsuallyAtOnce), await CountAsync("Buffered", "both"));

    // Two per block if the end of the block splits a read; 4,195 reads would otherwise be as many writes.
    [NeedsFact(Need.Linux)]
    public async Task Small_reads_of_a_stream_fill_whole_blocks() =>
        Assert.InRange(await CountAsync("Buffered", "stream"), 1, 3 * Length / (256 * 1024));

    /// <summary>The system calls of one writer, which a process makes that does nothing else.</summary>
    private static async Task<long> CountAsync(string kind, string chunks, string? before = null)
    {
        using var folder = new TemporaryFolder();
        string[] arguments = ["count-writes", folder["file"], kind, chunks];
        using ChildProcess child = before is null ? ChildProcess.Start(arguments) : ChildProcess.StartAfter(before, arguments);
        long writes = long.Parse(await child.ReadLineAsync(), CultureInfo.InvariantCulture);
        Assert.Equal(0, await child.EndAsync());
        Assert.Equal(TestContent.Of(Length).ToArray(), await File.ReadAllBytesAsync(folder["file"]));
        return writes;
    }
}
