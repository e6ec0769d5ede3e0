namespace Millrace.Tests.Contract;

/// <summary>AdvanceTo: consumed bytes are gone, examined bytes are waited past, all others come again.</summary>
public sealed class AdvanceTests : ContractTests
{
    private const int Length = 10_000;

    [Theory, EveryReader]
    public async Task After_consuming_everything_the_next_byte_follows(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult first = await reader.ReadAsync().Soon();
        long consumed = first.Buffer.Length;
        first.AssertStarts(0);
        reader.AdvanceTo(first.Buffer.End);

        await reader.AssertRestAsync(consumed, Length);
    }

    [Theory, EveryReader]
    public async Task Reading_twice_without_an_advance_returns_the_same_bytes(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult first = await reader.ReadAsync().Soon();

        ReadResult second = await reader.ReadAsync().Soon();

        second.AssertStarts(0, (int)first.Buffer.Length);
    }

    [Theory, EveryReader]
    public async Task Unexamined_bytes_are_returned_at_once(string name)
    {
        foreach ((int consumed, int examined) in new[] { (0, 0), (0, 50), (10, 99), (37, 37), (50, 50) })
        {
            PipeReader reader = Open(name, Length);
            ReadResult first = await reader.HoldAsync(100);
            reader.AdvanceTo(first.Buffer.GetPosition(consumed), first.Buffer.GetPosition(examined));

            Assert.True(reader.TryRead(out ReadResult tried));
            tried.AssertStarts(consumed, 100 - consumed);
            reader.AdvanceTo(tried.Buffer.Start, tried.Buffer.GetPosition(examined - consumed));
            ValueTask<ReadResult> second = reader.ReadAsync();

            Assert.True(second.IsCompletedSuccessfully);
            (await second).AssertStarts(consumed, 100 - consumed);
        }
    }

    [Theory, EveryReader(ReaderTraits.HoldsBackExamined)]
    public async Task After_examining_everything_unconsumed_bytes_come_with_more(string name)
    {
        foreach (int consumed in new[] { 0, 60 })
        {
            PipeReader reader = Open(name, Length);
            ReadResult first = await reader.HoldAsync(100);
            int held = (int)first.Buffer.Length;
            reader.AdvanceTo(first.Buffer.GetPosition(consumed), first.Buffer.End);

            ReadResult second = await reader.ReadAsync().Soon();

            second.AssertStarts(consumed, Math.Min(held + 1, Length) - consumed);
        }
    }

    [Theory, EveryReader]
    public async Task More_than_was_examined_before_can_be_consumed(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.Start, first.Buffer.GetPosition(10));
        ReadResult second = await reader.HoldAsync(100);
        reader.AdvanceTo(second.Buffer.GetPosition(80));

        ReadResult third = await reader.ReadAsync().Soon();

        third.AssertStarts(80);
    }

    [Theory, EveryReader]
    public async Task Bytes_examined_once_can_be_left_unexamined_later(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.Start, first.Buffer.End);
        ReadResult second = await reader.ReadAsync().Soon();
        reader.AdvanceTo(second.Buffer.Start, second.Buffer.GetPosition(1));

        ValueTask<ReadResult> third = reader.ReadAsync();

        Assert.True(third.IsCompletedSuccessfully);
        (await third).AssertStarts(0, 100);
    }

    [Theory, EveryReader]
    public async Task The_whole_file_can_be_buffered_before_anything_is_consumed(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult result = await reader.ReadAsync().Soon();
        while (!result.IsCompleted)
        {
            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
            result = await reader.ReadAsync().Soon();
        }

        result.AssertStarts(0, Length);
    }

    [Theory, EveryReader]
    public async Task Consuming_while_the_buffer_grows_keeps_the_rest_intact(string name)
    {
        PipeReader reader = Open(name, Length);
        long consumed = 0;
        ReadResult result = await reader.ReadAsync().Soon();
        for (int turn = 0; !result.IsCompleted; turn++)
        {
            // One byte of every third buffer: the held bytes grow and move at the same time.
            long step = turn % 3 == 0 ? 1 : 0;
            result.AssertStarts(consumed);
            reader.AdvanceTo(result.Buffer.GetPosition(step), result.Buffer.End);
            consumed += step;
            result = await reader.ReadAsync().Soon();
        }

        result.AssertStarts(consumed, (int)(Length - consumed));
    }
}
