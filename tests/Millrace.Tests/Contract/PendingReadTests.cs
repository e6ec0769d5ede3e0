namespace Millrace.Tests.Contract;

/// <summary>Reads that wait: what ends the wait, and that the reader can go on after each.</summary>
public sealed class PendingReadTests
{
    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
    public async Task A_pending_read_completes_with_the_bytes_that_come(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        ValueTask<ReadResult> read = fed.Reader.ReadAsync();
        Assert.False(read.IsCompleted);

        fed.Feed(TestContent.Of(100).Span);

        (await read.Soon()).AssertStarts(0);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
    public async Task A_read_of_examined_bytes_waits_for_more(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(100).Span);
        ReadResult first = await fed.Reader.HoldAsync(100);
        fed.Reader.AdvanceTo(first.Buffer.GetPosition(40), first.Buffer.End);

        ValueTask<ReadResult> read = fed.Reader.ReadAsync();
        Assert.False(read.IsCompleted);
        fed.Feed(TestContent.Between(100, 200).Span);

        (await read.Soon()).AssertStarts(40, 61);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits | ReaderTraits.CanBeEnded)]
    public async Task A_pending_read_completes_with_the_end(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        ValueTask<ReadResult> read = fed.Reader.ReadAsync();

        fed.End();

        ReadResult result = await read.Soon();
        Assert.True(result.IsCompleted);
        Assert.True(result.Buffer.IsEmpty);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits | ReaderTraits.CanBeEnded)]
    public async Task The_end_comes_with_the_buffered_bytes(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(100).Span);
        ReadResult first = await fed.Reader.HoldAsync(100);
        fed.Reader.AdvanceTo(first.Buffer.Start, first.Buffer.End);
        ValueTask<ReadResult> read = fed.Reader.ReadAsync();

        fed.End();

        ReadResult result = await read.Soon();
        Assert.True(result.IsCompleted);
        result.AssertStarts(0, 100);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
    public async Task CancelPendingRead_ends_a_pending_read_and_leaves_the_reader_usable(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        ValueTask<ReadResult> read = fed.Reader.ReadAsync();

        fed.Reader.CancelPendingRead();

        ReadResult canceled = await read.Soon();
        Assert.True(canceled.IsCanceled);
        Assert.True(canceled.Buffer.IsEmpty);
        fed.Reader.AdvanceTo(canceled.Buffer.End);
        await AssertUsableAsync(fed, 0);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
    public async Task CancelPendingRead_of_a_read_with_buffered_bytes_returns_them(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(100).Span);
        ReadResult first = await fed.Reader.HoldAsync(100);
        fed.Reader.AdvanceTo(first.Buffer.GetPosition(10), first.Buffer.End);
        ValueTask<ReadResult> read = fed.Reader.ReadAsync();

        fed.Reader.CancelPendingRead();

        ReadResult canceled = await read.Soon();
        Assert.True(canceled.IsCanceled);
        Assert.Equal(90, canceled.Buffer.Length);
        canceled.AssertStarts(10);
        fed.Reader.AdvanceTo(canceled.Buffer.End);
        await AssertUsableAsync(fed, 100);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
    public async Task A_token_ends_a_pending_read_and_leaves_the_reader_usable(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        using var source = new CancellationTokenSource();
        ValueTask<ReadResult> read = fed.Reader.ReadAsync(source.Token);
        Assert.False(read.IsCompleted);

        await source.CancelAsync();

        OperationCanceledException exception =
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read.Soon());
        Assert.Equal(source.Token, exception.CancellationToken);
        await AssertUsableAsync(fed, 0);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
    public async Task A_token_that_ends_a_pending_read_leaves_buffered_bytes_held(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(100).Span);
        ReadResult first = await fed.Reader.HoldAsync(100);
        fed.Reader.AdvanceTo(first.Buffer.GetPosition(10), first.Buffer.End);
        using var source = new CancellationTokenSource();
        ValueTask<ReadResult> read = fed.Reader.ReadAsync(source.Token);

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read.Soon());
        fed.Feed(TestContent.Between(100, 150).Span);
        (await fed.Reader.HoldAsync(140)).AssertStarts(10);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
    public async Task A_reader_waits_as_often_as_it_is_canceled(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        for (int turn = 0; turn < 20; turn++)
        {
            ValueTask<ReadResult> read = fed.Reader.ReadAsync();
            Assert.False(read.IsCompleted);
            fed.Reader.CancelPendingRead();
            ReadResult canceled = await read.Soon();
            Assert.True(canceled.IsCanceled);
            fed.Reader.AdvanceTo(canceled.Buffer.End);
        }

        await AssertUsableAsync(fed, 0);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits | ReaderTraits.CanBeEnded)]
    public async Task Cancelling_while_bytes_arrive_loses_none(string name)
    {
        const int Turns = 300;
        using FedReader fed = Readers.Get(name).CreateFed();
        var bytes = new ArrayBufferWriter<byte>();
        Task feeding = Task.Run(() =>
        {
            for (int i = 0; i < Turns; i++)
            {
                fed.Feed(TestContent.Between(i, i + 1).Span);
                fed.Reader.CancelPendingRead();
            }

            fed.End();
        });

        while (true)
        {
            ReadResult result = await fed.Reader.ReadAsync().Soon();
            bytes.Write(result.Buffer.ToArray());
            fed.Reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                break;
            }
        }

        await feeding.Soon();
        ReaderExtensions.AssertContent(0, Turns, bytes.WrittenSpan);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits | ReaderTraits.CanBeEnded)]
    public async Task Tokens_canceled_while_bytes_arrive_lose_none(string name)
    {
        const int Turns = 200;
        using FedReader fed = Readers.Get(name).CreateFed();
        var bytes = new ArrayBufferWriter<byte>();
        for (int i = 0; i < Turns; i++)
        {
            using var source = new CancellationTokenSource();
            ValueTask<ReadResult> read = fed.Reader.ReadAsync(source.Token);
            Task cancelling = Task.Run(source.Cancel);
            fed.Feed(TestContent.Between(i, i + 1).Span);
            try
            {
                ReadResult result = await read.Soon();
                bytes.Write(result.Buffer.ToArray());
                fed.Reader.AdvanceTo(result.Buffer.End);
            }
            catch (OperationCanceledException)
            {
                // Then the byte comes with a later read.
            }

            await cancelling.Soon();
        }

        fed.End();
        bytes.Write(await fed.Reader.ReadToEndAsync());
        ReaderExtensions.AssertContent(0, Turns, bytes.WrittenSpan);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.ChecksConcurrency)]
    public async Task Any_other_call_while_a_read_is_pending_is_rejected(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(100).Span);
        ReadResult held = await fed.Reader.HoldAsync(100);
        fed.Reader.AdvanceTo(held.Buffer.Start, held.Buffer.End);
        ValueTask<ReadResult> read = fed.Reader.ReadAsync();

        await Assert.ThrowsAsync<InvalidOperationException>(async () => await fed.Reader.ReadAsync());
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await fed.Reader.ReadAtLeastAsync(1));
        await Assert.ThrowsAsync<InvalidOperationException>(() => fed.Reader.CopyToAsync(Stream.Null));
        Assert.Throws<InvalidOperationException>(() => fed.Reader.TryRead(out _));
        Assert.Throws<InvalidOperationException>(() => fed.Reader.AdvanceTo(held.Buffer.End));

        fed.Feed(TestContent.Between(100, 101).Span);
        (await read.Soon()).AssertStarts(0, 101);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.ChecksConcurrency)]
    public async Task Completing_ends_a_pending_read_with_an_exception(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        ValueTask<ReadResult> read = fed.Reader.ReadAsync();

        await fed.Reader.CompleteAsync();

        await Assert.ThrowsAsync<InvalidOperationException>(() => read.Soon());
    }

    private static async Task AssertUsableAsync(FedReader fed, int offset)
    {
        ValueTask<ReadResult> read = fed.Reader.ReadAsync();
        Assert.False(read.IsCompleted);
        fed.Feed(TestContent.Between(offset, offset + 50).Span);
        ReadResult result = await read.Soon();
        result.AssertStarts(offset);
        long consumed = offset + result.Buffer.Length;
        fed.Reader.AdvanceTo(result.Buffer.End);
        if (consumed < offset + 50)
        {
            result = await fed.Reader.HoldAsync((int)(offset + 50 - consumed));
            result.AssertStarts(consumed);
        }
    }
}
