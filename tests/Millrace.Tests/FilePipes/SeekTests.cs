namespace Millrace.Tests.FilePipes;

/// <summary>Seek.</summary>
public sealed class SeekTests
{
    private const int Length = 5_000_003;

    [Theory, EveryValue]
    public async Task Seeking_forward_within_buffered_bytes_reads_nothing_again(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        ReadResult held = await reader.HoldAsync(1_000);
        reader.AdvanceTo(held.Buffer.GetPosition(10), held.Buffer.End);

        reader.Seek(900);

        Assert.Equal(900, reader.Position);
        Assert.True(reader.TryRead(out ReadResult result), "TryRead never reads from the file");
        result.AssertStarts(900, 100);
    }

    [Theory, EveryValue]
    public async Task Seeking_to_the_current_position_makes_examined_bytes_unexamined(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        ReadResult held = await reader.HoldAsync(1_000);
        reader.AdvanceTo(held.Buffer.GetPosition(10), held.Buffer.End);

        reader.Seek(10);

        Assert.True(reader.TryRead(out ReadResult result));
        result.AssertStarts(10);
    }

    [Theory, EveryValue]
    public async Task Seeking_back_reads_consumed_bytes_again(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        await reader.SkipAsync(300_000);

        reader.Seek(1);

        Assert.Equal(1, reader.Position);
        (await reader.HoldAsync(400_000)).AssertStarts(1, 400_000);
    }

    [Theory, EveryValue]
    public async Task Seeking_far_ahead_and_back_returns_the_right_bytes(ReadStrategy strategy, bool portable)
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

    [Theory, EveryValue]
    public async Task Seeking_to_or_after_the_end_completes_and_can_return(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        await reader.CopyToAsync(Stream.Null).Soon();
        foreach (long end in new[] { Length, Length + 1_000_000L })
        {
            reader.Seek(Length - 10);
            await reader.SkipAsync(5);
            reader.Seek(end);

            ReadResult result = await reader.ReadAsync().Soon();

            Assert.True(result.IsCompleted);
            Assert.True(result.Buffer.IsEmpty);
            reader.AdvanceTo(result.Buffer.End);
            Assert.Equal(end, reader.Position);
        }

        reader.Seek(Length - 1);
        await reader.AssertRestAsync(Length - 1, Length);
    }

    [Theory, EveryValue]
    public async Task Seeking_outside_the_opened_part_is_rejected(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = TestReader.Open(
            TestFolder.SharedFile(Length), strategy, portable, new FileReadOptions { Offset = 1_000, Length = 2_000 });
        await reader.SkipAsync(500);

        ArgumentOutOfRangeException exception = Assert.Throws<ArgumentOutOfRangeException>(() => reader.Seek(-1));
        Assert.Contains("begins at 1000 and ends at 3000.", exception.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => reader.Seek(999));
        Assert.Throws<ArgumentOutOfRangeException>(() => reader.Seek(3_001));

        Assert.Equal(1_500, reader.Position);
        reader.Seek(1_000);
        await reader.AssertRestAsync(1_000, 3_000);
        reader.Seek(3_000);
        await reader.AssertRestAsync(3_000, 3_000);
    }

    [Theory, EveryValue]
    public async Task A_cursor_from_before_a_seek_is_rejected(ReadStrategy strategy, bool portable)
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
    public async Task Seeking_after_completion_is_rejected()
    {
        FilePipeReader reader = Open(ReadStrategy.Auto, false);
        await reader.CompleteAsync();

        Assert.Throws<InvalidOperationException>(() => reader.Seek(0));
    }

    [Fact]
    public async Task Seeking_during_a_pending_read_is_rejected()
    {
        // A read waits at the end of a followed file.
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

    private static FilePipeReader Open(ReadStrategy strategy, bool portable) => TestReader.Open(
        TestFolder.SharedFile(Length), strategy, portable);
}
