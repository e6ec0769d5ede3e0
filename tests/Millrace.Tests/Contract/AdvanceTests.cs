namespace Millrace.Tests.Contract;

/// <summary>AdvanceTo: what is consumed is gone, what is examined is waited past, all else comes again.</summary>
public sealed class AdvanceTests
{
    private const int Length = 10_000;

    [Theory, EveryReader]
    public async Task After_consuming_everything_the_next_byte_follows(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult first = await reader.ReadAsync().Soon();
        long consumed = first.Buffer.Length;
        first.AssertStarts(0);
        reader.AdvanceTo(first.Buffer.End);

        await reader.AssertRestAsync(consumed, Length);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader]
    public async Task After_consuming_a_part_the_next_byte_follows(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.GetPosition(37));

        ReadResult second = await reader.ReadAsync().Soon();

        second.AssertStarts(37);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader]
    public async Task Reading_twice_without_an_advance_returns_the_same_bytes(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult first = await reader.ReadAsync().Soon();

        ReadResult second = await reader.ReadAsync().Soon();

        second.AssertStarts(0, (int)first.Buffer.Length);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader]
    public async Task Unexamined_bytes_are_returned_at_once(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.Start, first.Buffer.Start);

        ValueTask<ReadResult> second = reader.ReadAsync();

        Assert.True(second.IsCompletedSuccessfully);
        (await second).AssertStarts(0, 100);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader]
    public async Task Reading_again_after_examining_a_part_returns_at_once(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.GetPosition(10), first.Buffer.GetPosition(99));

        ValueTask<ReadResult> second = reader.ReadAsync();

        Assert.True(second.IsCompletedSuccessfully);
        (await second).AssertStarts(10, 90);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader(ReaderTraits.HoldsBackExamined)]
    public async Task Examining_everything_returns_the_same_bytes_and_more(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult first = await reader.HoldAsync(100);
        int held = (int)first.Buffer.Length;
        reader.AdvanceTo(first.Buffer.Start, first.Buffer.End);

        ReadResult second = await reader.ReadAsync().Soon();

        second.AssertStarts(0, held < Length ? held + 1 : held);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader(ReaderTraits.HoldsBackExamined)]
    public async Task Consuming_a_part_and_examining_everything_returns_the_rest_and_more(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult first = await reader.HoldAsync(100);
        int held = (int)first.Buffer.Length;
        reader.AdvanceTo(first.Buffer.GetPosition(60), first.Buffer.End);

        ReadResult second = await reader.ReadAsync().Soon();

        second.AssertStarts(60, held < Length ? held - 60 + 1 : held - 60);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader]
    public async Task More_than_was_examined_before_can_be_consumed(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.Start, first.Buffer.GetPosition(10));
        ReadResult second = await reader.HoldAsync(100);
        reader.AdvanceTo(second.Buffer.GetPosition(80));

        ReadResult third = await reader.ReadAsync().Soon();

        third.AssertStarts(80);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader]
    public async Task Bytes_examined_once_can_be_left_unexamined_later(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.Start, first.Buffer.End);
        ReadResult second = await reader.ReadAsync().Soon();
        reader.AdvanceTo(second.Buffer.Start, second.Buffer.GetPosition(1));

        ValueTask<ReadResult> third = reader.ReadAsync();

        Assert.True(third.IsCompletedSuccessfully);
        (await third).AssertStarts(0, 100);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader]
    public async Task The_whole_file_can_be_buffered_before_anything_is_consumed(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult result = await reader.ReadAsync().Soon();
        while (!result.IsCompleted)
        {
            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
            result = await reader.ReadAsync().Soon();
        }

        result.AssertStarts(0, Length);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader]
    public async Task Consuming_while_the_buffer_grows_keeps_the_rest_intact(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        long consumed = 0;
        ReadResult result = await reader.ReadAsync().Soon();
        for (int turn = 0; !result.IsCompleted; turn++)
        {
            // One byte of every third buffer: what is held grows and moves at the same time.
            long step = turn % 3 == 0 ? 1 : 0;
            result.AssertStarts(consumed);
            reader.AdvanceTo(result.Buffer.GetPosition(step), result.Buffer.End);
            consumed += step;
            result = await reader.ReadAsync().Soon();
        }

        result.AssertStarts(consumed, (int)(Length - consumed));
        await reader.CompleteAsync();
    }
}
