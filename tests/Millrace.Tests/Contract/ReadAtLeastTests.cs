namespace Millrace.Tests.Contract;

/// <summary>ReadAtLeastAsync: so many bytes, or all there are.</summary>
public sealed class ReadAtLeastTests : ContractTests
{
    private const int Block = 256 * 1024;

    [Theory, EveryReader]
    public async Task ReadAtLeast_returns_at_least_the_minimum(string name)
    {
        foreach ((int length, int minimum) in new[] { (10_000, 0), (10_000, 1), (10_000, 10_000), ((3 * Block) + 5, (2 * Block) + 1) })
        {
            ReadResult result = await Open(name, length).ReadAtLeastAsync(minimum).Soon();

            result.AssertStarts(0, Math.Max(1, minimum));
        }
    }

    [Theory, EveryReader]
    public async Task A_negative_number_is_rejected(string name)
    {
        PipeReader reader = Open(name, 10_000);

        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(async () => await reader.ReadAtLeastAsync(-1));

        await reader.AssertRestAsync(0, 10_000);
    }

    [Theory, EveryReader]
    public async Task ReadAtLeast_more_than_the_file_returns_the_file_and_its_end(string name)
    {
        foreach (int length in new[] { 0, 10_000 })
        {
            ReadResult result = await Open(name, length).ReadAtLeastAsync(length + 1).Soon();

            Assert.True(result.IsCompleted);
            result.AssertStarts(0, length);
        }
    }

    [Theory, EveryReader(ReaderTraits.HoldsBackExamined)]
    public async Task Minimum_below_the_examined_bytes_still_reads_more(string name)
    {
        PipeReader reader = Open(name, 12 * Block);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.Start, first.Buffer.End);

        ReadResult second = await reader.ReadAtLeastAsync(50).Soon();

        second.AssertStarts(0, (int)first.Buffer.Length + 1);
    }

    [Theory, EveryReader]
    public async Task Buffered_bytes_count_towards_the_minimum(string name)
    {
        PipeReader reader = Open(name, 10_000);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.GetPosition(10), first.Buffer.GetPosition(20));

        ReadResult second = await reader.ReadAtLeastAsync(80).Soon();

        second.AssertStarts(10, 80);
    }

    [Theory, EveryReader]
    public async Task Both_kinds_of_reads_can_alternate(string name)
    {
        PipeReader reader = Open(name, 20_000);
        long consumed = 0;
        while (consumed < 20_000)
        {
            ReadResult result = await reader.ReadAtLeastAsync(777).Soon();
            result.AssertStarts(consumed, (int)Math.Min(777, 20_000 - consumed));
            long some = Math.Min(700, result.Buffer.Length);
            reader.AdvanceTo(result.Buffer.GetPosition(some));
            consumed += some;

            result = await reader.ReadAsync().Soon();
            if (!result.Buffer.IsEmpty)
            {
                result.AssertStarts(consumed);
            }

            consumed += result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.End);
        }

        await reader.AssertRestAsync(20_000, 20_000);
    }

    [Theory, EveryReader(ReaderTraits.ObeysTokens)]
    public async Task A_canceled_token_cancels_ReadAtLeast_and_leaves_the_reader_usable(string name)
    {
        PipeReader reader = Open(name, 10_000);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await reader.ReadAtLeastAsync(100, new CancellationToken(canceled: true)));

        await reader.AssertRestAsync(0, 10_000);
    }

    [Theory, EveryReader]
    public async Task CancelPendingRead_cancels_the_next_ReadAtLeast_and_leaves_the_reader_usable(string name)
    {
        PipeReader reader = Open(name, 10_000);
        reader.CancelPendingRead();

        ReadResult canceled = await reader.ReadAtLeastAsync(100).Soon();

        Assert.True(canceled.IsCanceled);
        reader.AdvanceTo(canceled.Buffer.Start);
        (await reader.HoldAsync(100)).AssertStarts(0, 100);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
    public async Task ReadAtLeast_waits_for_enough_bytes(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        Task<ReadResult> read = fed.Reader.ReadAtLeastAsync(300).AsTask();
        fed.Feed(TestContent.Of(100).Span);
        fed.Feed(TestContent.Between(100, 299).Span);
        Assert.False(read.IsCompleted);

        fed.Feed(TestContent.Between(299, 300).Span);

        (await read.Soon()).AssertStarts(0, 300);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits | ReaderTraits.CanBeEnded)]
    public async Task The_end_completes_ReadAtLeast_with_fewer_bytes(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(100).Span);
        Task<ReadResult> read = fed.Reader.ReadAtLeastAsync(300).AsTask();

        fed.End();

        ReadResult result = await read.Soon();
        Assert.True(result.IsCompleted);
        Assert.Equal(100, result.Buffer.Length);
        result.AssertStarts(0);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
    public async Task CancelPendingRead_ends_a_waiting_ReadAtLeast(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(100).Span);
        ReadResult held = await fed.Reader.HoldAsync(100);
        fed.Reader.AdvanceTo(held.Buffer.Start);
        Task<ReadResult> read = fed.Reader.ReadAtLeastAsync(300).AsTask();
        Assert.False(read.IsCompleted);

        fed.Reader.CancelPendingRead();

        ReadResult canceled = await read.Soon();
        Assert.True(canceled.IsCanceled);
        canceled.AssertStarts(0, 100);
        fed.Reader.AdvanceTo(canceled.Buffer.Start);
        fed.Feed(TestContent.Between(100, 300).Span);
        (await fed.Reader.HoldAsync(300)).AssertStarts(0, 300);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
    public async Task A_token_ends_a_waiting_ReadAtLeast(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(100).Span);
        ReadResult held = await fed.Reader.HoldAsync(100);
        fed.Reader.AdvanceTo(held.Buffer.Start);
        using var source = new CancellationTokenSource();
        Task<ReadResult> read = fed.Reader.ReadAtLeastAsync(300, source.Token).AsTask();
        Assert.False(read.IsCompleted);

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read.Soon());
        Assert.True(fed.Reader.TryRead(out ReadResult again), "unexamined bytes are still there");
        again.AssertStarts(0, 100);
        fed.Reader.AdvanceTo(again.Buffer.Start);
        fed.Feed(TestContent.Between(100, 300).Span);
        (await fed.Reader.HoldAsync(300)).AssertStarts(0, 300);
    }
}
