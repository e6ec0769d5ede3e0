namespace Millrace.Tests.Costs;

/// <summary>Small chunks are gathered, large ones are not taken apart.</summary>
[Collection(ProcessWide.Name)]
public sealed class WriterSystemCallTests
{
    private const int Length = 4 * 1024 * 1024;

    [Theory, EveryWriter]
    public async Task Small_chunks_are_combined_into_large_writes(string kind)
    {
        // 16 blocks of 256 KiB, and a rest of less than a page now and then.
        long writes = await MinAsync(kind, async writer =>
        {
            for (int offset = 0; offset < Length; offset += 500)
            {
                writer.Write(TestContent.Between(offset, Math.Min(Length, offset + 500)).Span);
            }

            await writer.CommitAsync();
        });
        Assert.InRange(writes, 1, 20);
    }

    [Theory]
    [InlineData("Buffered")]
    [InlineData("WriteBehind")]
    [InlineData("Portable")]
    public async Task A_large_chunk_is_written_in_whole_blocks_and_is_not_copied(string kind)
    {
        long writes = await MinAsync(kind, async writer =>
        {
            for (int offset = 0; offset < Length; offset += 1024 * 1024)
            {
                await writer.WriteAsync(TestContent.Between(offset, offset + (1024 * 1024)));
                Assert.Equal(0, writer.UnflushedBytes);
            }

            await writer.CommitAsync();
        });
        Assert.Equal(Length / (256 * 1024), writes);

        // Not copied: nobody rented anything to copy to.
        using var folder = new TemporaryFolder();
        using var pool = new CountingPool();
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(folder["file"], pool);
        await writer.WriteAsync(TestContent.Of(1024 * 1024));
        await writer.CommitAsync();
        Assert.Empty(pool.Sizes);
    }

    [NeedsFact(Need.Native)]
    public async Task Buffered_bytes_and_the_chunk_share_one_write()
    {
        long writes = await MinAsync("Buffered", async writer =>
        {
            for (int offset = 0; offset < Length; offset += 512 * 1024)
            {
                writer.Write(TestContent.Between(offset, offset + 100).Span);
                await writer.WriteAsync(TestContent.Between(offset + 100, offset + (512 * 1024)));
            }

            await writer.CommitAsync();
        });
        Assert.Equal(Length / (256 * 1024), writes);
    }

    [Fact]
    public async Task Small_reads_of_a_stream_fill_whole_blocks()
    {
        long writes = await MinAsync("Buffered", async writer =>
        {
            using var stream = new PieceStream(
                Enumerable.Range(0, (Length / 1_000) + 1).Select(i => TestContent.Between(i * 1_000, Math.Min(Length, (i + 1) * 1_000))));
            await stream.CopyToAsync((PipeWriter)writer).Soon();
            Assert.Equal((Length, 0), (writer.Position, writer.UnflushedBytes));
            await writer.CommitAsync();
        });
        // Two per block if the end of the block splits a read; 4,195 reads would otherwise be as many writes.
        Assert.InRange(writes, 1, 3 * Length / (256 * 1024));
    }

    /// <summary>Once in several rounds is enough: the test runner's own writes are counted too.</summary>
    private static async Task<long> MinAsync(string kind, Func<FilePipeWriter, Task> write)
    {
        using var folder = new TemporaryFolder();
        long least = long.MaxValue;
        for (int round = 0; round < 10; round++)
        {
            await using FilePipeWriter writer = WriterKind.Of(kind).Create(folder["file"]);
            long before = Least.Writes();
            await write(writer);
            least = Math.Min(least, Least.Writes() - before);
        }

        Assert.Equal(TestContent.Of(Length).ToArray(), await File.ReadAllBytesAsync(folder["file"]));
        return least;
    }
}
