namespace Millrace.Tests.FilePipes;

/// <summary>Seek.</summary>
public sealed class SeekTests
{
    private const int Length = 5_000_003;

    [Theory, EveryStrategy]
    public async Task Forward_within_what_is_held_reads_nothing_again(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        ReadResult held = await reader.HoldAsync(1_000);
        reader.AdvanceTo(held.Buffer.GetPosition(10), held.Buffer.End);

        reader.Seek(900);

        Assert.Equal(900, reader.Position);
        Assert.True(reader.TryRead(out ReadResult result), "TryRead never reads from the file");
        result.AssertStarts(900, 100);
    }

    [Theory, EveryStrategy]
    public async Task To_where_the_reader_is_makes_examined_bytes_unexamined(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        ReadResult held = await reader.HoldAsync(1_000);
        reader.AdvanceTo(held.Buffer.GetPosition(10), held.Buffer.End);

        reader.Seek(10);

        Assert.True(reader.TryRead(out ReadResult result));
        result.AssertStarts(10);
    }

    [Theory, EveryStrategy]
    public async Task Back_to_consumed_bytes_reads_them_again(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        await reader.SkipAsync(300_000);

        reader.Seek(1);

        Assert.Equal(1, reader.Position);
        (await reader.HoldAsync(400_000)).AssertStarts(1, 400_000);
    }

    [Theory, EveryStrategy]
    public async Task Far_ahead_and_back_gives_the_bytes_of_each_place(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        foreach (int offset in new[] { 4_194_305, 3, 4_999_999, 262_144, 262_143, 2_000_001, 0, 4_194_303 })
        {
            reader.Seek(offset);
            ReadResult result = await reader.HoldAsync(Math.Min(5_000, Length - offset));
            result.AssertStarts(offset, Math.Min(5_000, Length - offset));
            reader.AdvanceTo(result.Buffer.GetPosition(1));
            Assert.Equal(offset + 1, reader.Position);
        }

        await reader.AssertRestAsync(4_194_304, Length);
    }

    [Theory, EveryStrategy]
    public async Task Away_from_the_end_reads_on(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        await reader.CopyToAsync(Stream.Null).Soon();

        reader.Seek(Length - 10);

        await reader.AssertRestAsync(Length - 10, Length);
    }

    [Theory, EveryStrategy]
    public async Task To_the_end_completes(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        await reader.SkipAsync(100);

        reader.Seek(Length);

        ReadResult result = await reader.ReadAsync().Soon();
        Assert.True(result.IsCompleted);
        Assert.True(result.Buffer.IsEmpty);
        Assert.Equal(Length, reader.Position);
    }

    [Theory, EveryStrategy]
    public async Task Behind_the_end_completes_and_comes_back(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);

        reader.Seek(Length + 1_000_000L);

        ReadResult result = await reader.ReadAsync().Soon();
        Assert.True(result.IsCompleted);
        Assert.True(result.Buffer.IsEmpty);
        reader.AdvanceTo(result.Buffer.End);
        Assert.Equal(Length + 1_000_000L, reader.Position);
        reader.Seek(Length - 1);
        await reader.AssertRestAsync(Length - 1, Length);
    }

    [Theory, EveryStrategy]
    public async Task Outside_the_part_that_was_opened_is_refused(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = FilePipe.OpenRead(
            TestFolder.SharedFile(Length),
            new FileReadOptions { Strategy = strategy, Portable = portable, Offset = 1_000, Length = 2_000 });
        await reader.SkipAsync(500);

        Assert.Throws<ArgumentOutOfRangeException>(() => reader.Seek(999));
        Assert.Throws<ArgumentOutOfRangeException>(() => reader.Seek(3_001));

        Assert.Equal(1_500, reader.Position);
        reader.Seek(1_000);
        await reader.AssertRestAsync(1_000, 3_000);
        reader.Seek(3_000);
        await reader.AssertRestAsync(3_000, 3_000);
    }

    [Theory, EveryStrategy]
    public async Task Before_the_first_byte_is_refused(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);

        Assert.Throws<ArgumentOutOfRangeException>(() => reader.Seek(-1));
    }

    [Theory, EveryStrategy]
    public async Task A_cursor_from_before_a_seek_is_refused(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        ReadResult near = await reader.HoldAsync(1_000);
        reader.Seek(500);
        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(near.Buffer.End));

        ReadResult far = await reader.HoldAsync(100);
        reader.Seek(4_900_000);
        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(far.Buffer.End));

        (await reader.HoldAsync(100)).AssertStarts(4_900_000);
    }

    [Fact]
    public async Task After_completion_is_refused()
    {
        FilePipeReader reader = Open(ReadStrategy.Auto, false);
        await reader.CompleteAsync();

        Assert.Throws<InvalidOperationException>(() => reader.Seek(0));
    }

    [Fact]
    public async Task While_a_read_is_pending_is_refused()
    {
        // A followed file makes a read wait at its end.
        string path = TestFolder.NewFile(100);
        await using FilePipeReader reader = FilePipe.OpenRead(
            path, new FileReadOptions { Follow = FollowMode.Descriptor });
        await reader.SkipAsync(100);
        ValueTask<ReadResult> read = reader.ReadAsync();

        Assert.Throws<InvalidOperationException>(() => reader.Seek(0));

        reader.CancelPendingRead();
        Assert.True((await read.Soon()).IsCanceled);
        reader.Seek(0);
        (await reader.HoldAsync(100)).AssertStarts(0, 100);
    }

    private static FilePipeReader Open(ReadStrategy strategy, bool portable) => FilePipe.OpenRead(
        TestFolder.SharedFile(Length), new FileReadOptions { Strategy = strategy, Portable = portable });
}
