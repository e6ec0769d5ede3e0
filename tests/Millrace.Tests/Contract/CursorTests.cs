namespace Millrace.Tests.Contract;

/// <summary>Cursors that AdvanceTo has to refuse, and that refusing does no harm.</summary>
public sealed class CursorTests : ContractTests
{
    private const int Length = 10_000;

    [Theory, EveryReader]
    public async Task Default_cursors_before_the_first_read_move_nothing(string name)
    {
        PipeReader reader = Open(name, Length);

        reader.AdvanceTo(default);

        await reader.AssertRestAsync(0, Length);
    }

    [Theory, EveryReader(ReaderTraits.ChecksCursors)]
    public async Task An_examined_cursor_before_the_consumed_one_is_rejected(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult result = await reader.HoldAsync(100);

        Assert.Throws<InvalidOperationException>(
            () => reader.AdvanceTo(result.Buffer.GetPosition(50), result.Buffer.GetPosition(49)));

        await reader.AssertRestAsync(0, Length);
    }

    [Theory, EveryReader(ReaderTraits.ChecksCursors)]
    public async Task A_cursor_of_another_reader_is_rejected(string name)
    {
        PipeReader reader = Open(name, Length);
        PipeReader other = Open(name, Length);
        await reader.HoldAsync(100);
        ReadResult foreign = await other.HoldAsync(100);

        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(foreign.Buffer.End));
        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(default, foreign.Buffer.End));

        await reader.AssertRestAsync(0, Length);
        await other.AssertRestAsync(0, Length);
    }

    [Theory, EveryReader(ReaderTraits.ChecksCursors)]
    public async Task A_cursor_of_another_reader_is_rejected_before_the_first_read(string name)
    {
        PipeReader reader = Open(name, Length);
        PipeReader other = Open(name, Length);
        ReadResult foreign = await other.HoldAsync(100);

        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(foreign.Buffer.Start));

        await reader.AssertRestAsync(0, Length);
    }

    [Theory, EveryReader(ReaderTraits.ChecksCursors)]
    public async Task A_default_cursor_with_one_of_a_buffer_is_rejected(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult result = await reader.HoldAsync(100);

        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(default, result.Buffer.End));
        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(result.Buffer.Start, default));

        await reader.AssertRestAsync(0, Length);
    }

    [Theory, EveryReader(ReaderTraits.ChecksCursors)]
    public async Task A_cursor_to_consumed_bytes_is_rejected(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult result = await reader.HoldAsync(100);
        reader.AdvanceTo(result.Buffer.GetPosition(60));

        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(result.Buffer.GetPosition(59)));

        await reader.AssertRestAsync(60, Length);
    }

    [Theory, EveryReader(ReaderTraits.ChecksCursors)]
    public async Task A_cursor_from_before_the_bytes_were_moved_is_rejected(string name)
    {
        // Longer than a block, so that going on moves the held bytes, whatever the strategy.
        const int Long = (256 * 1024) + 10_000;
        PipeReader reader = Open(name, Long);
        ReadResult old = await reader.HoldAsync(100);
        await reader.SkipAsync(256 * 1024);
        ReadResult result = await reader.HoldAsync(100);

        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(old.Buffer.Start));

        result.AssertStarts(256 * 1024, 100);
    }

    [Theory, EveryReader(ReaderTraits.ChecksCursors)]
    public async Task A_cursor_after_the_buffer_is_rejected_even_if_more_is_in_memory(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult result = await reader.ReadAsync().Soon();
        SequencePosition end = result.Buffer.End;
        var behind = new SequencePosition(end.GetObject(), end.GetInteger() + 1);

        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(behind));
        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(result.Buffer.Start, behind));

        await reader.AssertRestAsync(0, Length);
    }
}
