namespace Millrace.Tests.Contract;

/// <summary>Cancelling while no read is pending. For a pending one see <see cref="PendingReadTests"/>.</summary>
public sealed class CancelTests : ContractTests
{
    private const int Length = 10_000;

    [Theory, EveryReader]
    public async Task CancelPendingRead_before_a_read_cancels_that_read_and_no_other(string name)
    {
        PipeReader reader = Open(name, Length);
        reader.CancelPendingRead();

        ReadResult canceled = await reader.ReadAsync().Soon();

        Assert.True(canceled.IsCanceled);
        reader.AdvanceTo(canceled.Buffer.Start);
        await reader.AssertRestAsync(0, Length);
    }

    [Theory, EveryReader]
    public async Task CancelPendingRead_twice_cancels_one_read(string name)
    {
        PipeReader reader = Open(name, Length);
        reader.CancelPendingRead();
        reader.CancelPendingRead();

        ReadResult first = await reader.ReadAsync().Soon();
        reader.AdvanceTo(first.Buffer.Start);
        ReadResult second = await reader.ReadAsync().Soon();

        Assert.True(first.IsCanceled);
        Assert.False(second.IsCanceled);
        second.AssertStarts(0);
    }

    [Theory, EveryReader]
    public async Task A_canceled_read_returns_the_buffered_bytes(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult first = await reader.HoldAsync(100);
        reader.AdvanceTo(first.Buffer.GetPosition(10), first.Buffer.End);
        reader.CancelPendingRead();

        ReadResult canceled = await reader.ReadAsync().Soon();

        Assert.True(canceled.IsCanceled);
        canceled.AssertStarts(10, 90);
        reader.AdvanceTo(canceled.Buffer.GetPosition(20));
        await reader.AssertRestAsync(30, Length);
    }

    [Theory, EveryReader]
    public async Task Cancelling_every_other_read_loses_nothing(string name)
    {
        PipeReader reader = Open(name, 1_000);
        var bytes = new ArrayBufferWriter<byte>();
        bool cancel = true;
        bool completed = false;
        while (!completed)
        {
            if (cancel)
            {
                reader.CancelPendingRead();
            }

            ReadResult result = await reader.ReadAsync().Soon();
            Assert.Equal(cancel, result.IsCanceled);
            bytes.Write(result.Buffer.ToArray());
            reader.AdvanceTo(result.Buffer.End);
            completed = result.IsCompleted && !result.IsCanceled;
            cancel = !cancel;
        }

        ReaderExtensions.AssertContent(0, 1_000, bytes.WrittenSpan);
    }

    [Theory, EveryReader]
    public async Task CancelPendingRead_at_the_end_cancels_a_read_and_the_end_stays(string name)
    {
        PipeReader reader = Open(name, 1_000);
        await reader.AssertRestAsync(0, 1_000);
        reader.CancelPendingRead();

        ReadResult canceled = await reader.ReadAsync().Soon();
        reader.AdvanceTo(canceled.Buffer.End);
        ReadResult end = await reader.ReadAsync().Soon();

        Assert.True(canceled.IsCanceled);
        Assert.True(end.IsCompleted);
        Assert.False(end.IsCanceled);
    }

    [Theory, EveryReader(ReaderTraits.ObeysTokens)]
    public async Task A_canceled_token_cancels_the_first_read_and_leaves_the_reader_usable(string name)
    {
        PipeReader reader = Open(name, Length);
        var canceled = new CancellationToken(canceled: true);

        OperationCanceledException exception = await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await reader.ReadAsync(canceled));

        Assert.Equal(canceled, exception.CancellationToken);
        await reader.AssertRestAsync(0, Length);
    }

    [Theory, EveryReader(ReaderTraits.ObeysTokens)]
    public async Task A_canceled_token_cancels_a_read_of_bytes_that_are_in_memory(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult held = await reader.HoldAsync(100);
        reader.AdvanceTo(held.Buffer.GetPosition(10));

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await reader.ReadAsync(new CancellationToken(canceled: true)));

        await reader.AssertRestAsync(10, Length);
    }

    [Theory, EveryReader]
    public async Task A_token_canceled_after_its_read_is_without_effect(string name)
    {
        PipeReader reader = Open(name, Length);
        using var source = new CancellationTokenSource();
        ReadResult first = await reader.ReadAsync(source.Token).Soon();
        reader.AdvanceTo(first.Buffer.Start);
        await source.CancelAsync();

        await reader.AssertRestAsync(0, Length);
    }
}
