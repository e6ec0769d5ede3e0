namespace Millrace.Tests.Contract;

/// <summary>TryRead: unexamined bytes in memory, and nothing else.</summary>
public sealed class TryReadTests : ContractTests
{
    private const int Length = 10_000;

    [Theory, EveryReader(ReaderTraits.HoldsBackExamined)]
    public void TryRead_returns_false_before_the_first_read(string name)
    {
        PipeReader reader = Open(name, Length);

        Assert.False(reader.TryRead(out ReadResult result));

        Assert.True(result.Buffer.IsEmpty);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.HoldsBackExamined)]
    public async Task TryRead_returns_false_if_all_was_examined(string name)
    {
        foreach (int consumed in new[] { 0, 100 })
        {
            using FedReader fed = Readers.Get(name).CreateFed();
            fed.Feed(TestContent.Of(100).Span);
            ReadResult result = await fed.Reader.HoldAsync(100);
            fed.Reader.AdvanceTo(result.Buffer.GetPosition(consumed), result.Buffer.End);

            Assert.False(fed.Reader.TryRead(out _));
        }
    }

    [Theory, EveryReader(ReaderTraits.TellsEndByTryRead)]
    public async Task TryRead_returns_the_end_once_it_was_read(string name)
    {
        PipeReader reader = Open(name, Length);
        await reader.AssertRestAsync(0, Length);

        Assert.True(reader.TryRead(out ReadResult result));

        Assert.True(result.IsCompleted);
        Assert.True(result.Buffer.IsEmpty);
    }

    [Theory, EveryReader]
    public async Task TryRead_returns_a_cancellation(string name)
    {
        PipeReader reader = Open(name, Length);
        reader.CancelPendingRead();

        Assert.True(reader.TryRead(out ReadResult canceled));

        Assert.True(canceled.IsCanceled);
        reader.AdvanceTo(canceled.Buffer.Start);
        await reader.AssertRestAsync(0, Length);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
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
