namespace Millrace.Tests.FilePipes;

/// <summary>Bytes that are examined and not consumed: they are held, up to a limit, without being copied over and over.</summary>
public sealed class GrowthTests
{
    private const int Block = 256 * 1024;
    private const int MiB = 1024 * 1024;

    [Theory, EveryValue]
    public async Task A_record_of_5_MiB_is_buffered_from_2_KiB_chunks(ReadStrategy strategy, bool portable)
    {
        const int Record = 5 * MiB;
        await using FilePipeReader reader = Open(strategy, portable, new FileReadOptions { BufferSize = 2048 });
        ReadResult result = await reader.ReadAsync().Soon();
        long before = 0;
        while (result.Buffer.Length < Record)
        {
            Assert.InRange(result.Buffer.Length, before + 1, before + 2048);
            before = result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
            result = await reader.ReadAsync().Soon();
        }

        Assert.True(result.Buffer.IsSingleSegment);
        ReaderExtensions.AssertContent(0, result.Buffer.Length, result.Buffer.FirstSpan);
        reader.AdvanceTo(result.Buffer.GetPosition(Record));
        await reader.AssertRestAsync(Record, 9 * MiB);
    }

    [Theory, EveryValue]
    public async Task A_read_over_the_limit_throws_and_loses_nothing(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable, new FileReadOptions { MaxBufferedBytes = MiB });
        await reader.SkipAsync(1_000);
        ReadResult result = default;
        FilePipeException exception = await Fails.WithAsync(FilePipeError.BufferLimit, async () =>
        {
            while (true)
            {
                result = await reader.ReadAsync().Soon();
                reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
            }
        });

        Assert.Equal(reader.Path, exception.Path);
        Assert.Equal(1_000, exception.Offset);
        Assert.Contains(nameof(FileReadOptions.MaxBufferedBytes), exception.Message, StringComparison.Ordinal);
        Assert.InRange(result.Buffer.Length, MiB, MiB + (4 * MiB));
        result.AssertStarts(1_000);
        reader.AdvanceTo(result.Buffer.GetPosition(500_000));
        Assert.Equal(501_000, reader.Position);
        await reader.AssertRestAsync(501_000, 9 * MiB);
    }

    [Fact]
    public async Task At_the_limit_every_read_throws_until_something_is_consumed()
    {
        await using FilePipeReader reader =
            Open(ReadStrategy.Buffered, false, new FileReadOptions { MaxBufferedBytes = MiB });
        ReadResult result = await reader.HoldAsync(MiB);
        reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);

        for (int turn = 0; turn < 3; turn++)
        {
            await Fails.WithAsync(FilePipeError.BufferLimit, async () => await reader.ReadAsync());
            Assert.Throws<FilePipeException>(() => reader.Read());
            Assert.False(reader.TryRead(out _));
        }

        reader.CancelPendingRead();
        ReadResult held = await reader.ReadAsync();
        Assert.True(held.IsCanceled);
        held.AssertStarts(0, MiB);
    }

    [Fact]
    public async Task ReadAtLeast_over_the_limit_throws()
    {
        await using FilePipeReader reader =
            Open(ReadStrategy.Buffered, false, new FileReadOptions { MaxBufferedBytes = MiB });

        await Fails.WithAsync(FilePipeError.BufferLimit, async () => await reader.ReadAtLeastAsync(2 * MiB));

        await reader.AssertRestAsync(0, 9 * MiB);
    }

    [Theory, EveryValue]
    public async Task A_limit_below_a_block_still_allows_a_block(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable, new FileReadOptions { MaxBufferedBytes = 1 });

        (await reader.HoldAsync(Block)).AssertStarts(0, Block);
    }

    [Fact]
    public async Task The_end_of_a_file_as_long_as_the_limit_is_reported()
    {
        await using FilePipeReader reader = FilePipe.OpenRead(
            TestFolder.SharedFile(MiB), new FileReadOptions { MaxBufferedBytes = MiB });

        ReadResult result = await reader.ReadAtLeastAsync(MiB + 1).Soon();

        Assert.True(result.IsCompleted);
        result.AssertStarts(0, MiB);
    }

    [Theory]
    [InlineData(ReadStrategy.Buffered, false)]
    [InlineData(ReadStrategy.Buffered, true)]
    [InlineData(ReadStrategy.ReadAhead, false)]
    [InlineData(ReadStrategy.ReadAhead, true)]
    public async Task Buffered_bytes_are_copied_once_per_doubling(ReadStrategy strategy, bool portable)
    {
        const int Record = 8 * MiB;
        using var pool = new CountingPool();
        await using FilePipeReader reader = Open(
            strategy, portable, new FileReadOptions { BufferSize = 4096, Pool = pool });

        (await reader.HoldAsync(Record)).AssertStarts(0, Record);

        // Every rental larger than a block and its headroom is one move of all that is held.
        int[] moves = [.. pool.Sizes.Where(size => size > 2 * Block)];
        Assert.InRange(moves.Length, 1, 5);
        Assert.InRange(moves.Sum(size => (long)size), Record, 4L * Record);
        Assert.InRange(pool.Sizes.Count - moves.Length, 1, 24);
    }

    [Fact]
    public async Task A_window_that_slides_is_not_moved_for_every_block()
    {
        // 600 KiB are always held, 9 MiB go through: gathered again for every block that would be 21 MiB of copying.
        using var pool = new CountingPool();
        await using FilePipeReader reader = Open(ReadStrategy.Buffered, false, new FileReadOptions { Pool = pool });
        long consumed = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAtLeastAsync(600 * 1024).Soon();
            result.AssertStarts(consumed);
            if (result.IsCompleted)
            {
                break;
            }

            reader.AdvanceTo(result.Buffer.GetPosition(100_000), result.Buffer.End);
            consumed += 100_000;
        }

        Assert.InRange(pool.Sizes.Count(size => size > 2 * Block), 1, 3);
    }

    private static FilePipeReader Open(ReadStrategy strategy, bool portable, in FileReadOptions options) =>
        FilePipe.OpenRead(TestFolder.SharedFile(9 * MiB), options with { Strategy = strategy, Portable = portable });
}
