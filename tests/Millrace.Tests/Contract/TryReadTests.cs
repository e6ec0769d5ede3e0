namespace Millrace.Tests.Contract;

/// <summary>TryRead: what is in memory and not examined, and nothing else.</summary>
public sealed class TryReadTests
{
    private const int Length = 10_000;

    [Theory, EveryReader(ReaderTraits.HoldsBackExamined)]
    public void TryRead_returns_false_before_the_first_read(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);

        Assert.False(reader.TryRead(out ReadResult result));

        Assert.True(result.Buffer.IsEmpty);
        reader.Complete();
    }

    [Theory, EveryReader(ReaderTraits.HoldsBackExamined)]
    public async Task TryRead_returns_false_if_all_was_examined(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(100).Span);
        ReadResult result = await fed.Reader.HoldAsync(100);
        fed.Reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);

        Assert.False(fed.Reader.TryRead(out _));
    }

    [Theory, EveryReader(ReaderTraits.HoldsBackExamined)]
    public async Task TryRead_returns_false_if_all_was_consumed(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(100).Span);
        await fed.Reader.SkipAsync(100);

        Assert.False(fed.Reader.TryRead(out _));
    }

    [Theory, EveryReader]
    public async Task TryRead_returns_partly_examined_bytes(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.Start, first.Buffer.GetPosition(50));

        Assert.True(reader.TryRead(out ReadResult second));

        second.AssertStarts(0, 100);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader]
    public async Task TryRead_returns_partly_consumed_bytes(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.GetPosition(50));

        Assert.True(reader.TryRead(out ReadResult second));

        second.AssertStarts(50, 50);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader(ReaderTraits.TellsEndByTryRead)]
    public async Task TryRead_returns_the_end_once_it_was_read(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        await reader.AssertRestAsync(0, Length);

        Assert.True(reader.TryRead(out ReadResult result));

        Assert.True(result.IsCompleted);
        Assert.True(result.Buffer.IsEmpty);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader]
    public async Task TryRead_returns_a_cancellation(string name)
    {
        PipeReader reader = Readers.Get(name).Create(Length);
        reader.CancelPendingRead();

        Assert.True(reader.TryRead(out ReadResult canceled));

        Assert.True(canceled.IsCanceled);
        reader.AdvanceTo(canceled.Buffer.Start);
        await reader.AssertRestAsync(0, Length);
        await reader.CompleteAsync();
    }

    [Theory, EveryReader(ReaderTraits.Waits)]
    public async Task TryRead_alone_returns_every_byte(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(5_000).Span);
        ReadResult result = await fed.Reader.HoldAsync(5_000);
        fed.Reader.AdvanceTo(result.Buffer.Start, result.Buffer.Start);
        long consumed = 0;
        while (fed.Reader.TryRead(out result))
        {
            result.AssertStarts(consumed);
            consumed += result.Buffer.Length;
            fed.Reader.AdvanceTo(result.Buffer.End);
        }

        Assert.Equal(5_000, consumed);
    }
}
