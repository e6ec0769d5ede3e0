namespace Millrace.Tests.Sequences;

/// <summary>Walks that are cancelled, and that nothing is lost by it.</summary>
public sealed class SequenceCancellationTests
{
    private static readonly byte[] Content = Text.Bytes("line one\nline two, in many pieces\r\n" + new string('x', 100));

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task A_token_cancelled_before_consumes_nothing(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 7);
        var token = new CancellationToken(canceled: true);
        Func<Task>[] walks =
        [
            () => source.Bytes(token).TakeAsync(),
            () => source.Segments(token).TakeAsync(),
            () => source.Lines(cancellationToken: token).TakeAsync(),
            () => source.Records<int>(cancellationToken: token).TakeAsync(),
            () => source.Bytes(token).ForEachAsync(_ => { }).Soon(),
            () => source.ForEachSegmentAsync(_ => { }, token).Soon(),
        ];
        foreach (Func<Task> walk in walks)
        {
            OperationCanceledException exception = await Assert.ThrowsAnyAsync<OperationCanceledException>(walk);

            Assert.Equal(token, exception.CancellationToken);
        }

        Assert.Equal(Content, await source.ReadToEndAsync());
    }

    [Theory, EverySource(KeepsTheRest = true, ComesInPieces = true)]
    public async Task A_cancelled_token_ends_the_iteration_between_buffers(string name)
    {
        byte[] content = TestContent.Of(200_000).ToArray();
        await using ByteSource source = ByteSources.Open(name, content, 4_000);
        using var cancelling = new CancellationTokenSource();
        int taken = 0;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (byte value in source.Bytes(cancelling.Token))
            {
                Assert.Equal(content[taken++], value);
                cancelling.Cancel();
            }
        });

        // All of the buffer that was there, and then none.
        Assert.InRange(taken, 1, content.Length);
        Assert.Equal(content[taken..], await source.ReadToEndAsync());
    }

    [Fact]
    public async Task A_token_ends_the_iteration_if_the_reader_ignores_it()
    {
        PipeReader reader = PipeReader.Create(Segments.Of(Segments.Cut(Content, [10])));
        using var cancelling = new CancellationTokenSource();
        await cancelling.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => reader.ReadBytesAsync(cancelling.Token).TakeAsync());
    }

    [Fact]
    public async Task A_token_ends_a_waiting_move_and_keeps_its_line_for_the_next_iteration()
    {
        var pipe = new Pipe();
        using var cancelling = new CancellationTokenSource();
        await pipe.Writer.WriteAsync("one\ntw"u8.ToArray());
        LineSequence.Enumerator walk =
            pipe.Reader.ReadLinesAsync(cancellationToken: cancelling.Token).GetAsyncEnumerator();
        Assert.True(await walk.MoveNextAsync());
        SegmentSequence.NextAwaitable move = walk.MoveNextAsync();
        Assert.False(move.IsCompleted);

        await cancelling.CancelAsync();

        OperationCanceledException exception =
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await move);
        Assert.Equal(cancelling.Token, exception.CancellationToken);
        await walk.DisposeAsync();
        await pipe.Writer.WriteAsync("o\nthree"u8.ToArray());
        await pipe.Writer.CompleteAsync();
        Assert.Equal(["two", "three"], await pipe.Reader.ReadLinesAsync().TakeAsync());
    }

    [Theory, EverySource(KeepsTheRest = true, ComesInPieces = true)]
    public async Task An_iteration_cancelled_within_a_record_can_be_followed_by_another(string name)
    {
        // More than a Pipe takes at once, in pieces that cut records.
        byte[] content = TestContent.Of(200_000).ToArray();
        await using ByteSource source = ByteSources.Open(name, content, 4_001);
        using var cancelling = new CancellationTokenSource();
        RecordSequence<RecordOf24>.Enumerator walk =
            source.Records<RecordOf24>(cancellationToken: cancelling.Token).GetAsyncEnumerator();
        Assert.True(await walk.MoveNextAsync());
        await cancelling.CancelAsync();
        int taken = 24;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            while (await walk.MoveNextAsync())
            {
                taken += 24;
            }
        });
        await walk.DisposeAsync();

        Assert.Equal(content[taken..(taken + 1)], await source.Bytes().TakeAsync(1));
        Assert.Equal(content[(taken + 1)..], await source.ReadToEndAsync());
    }

    [Theory, EveryReader]
    public async Task CancelPendingRead_before_an_iteration_is_an_exception_and_loses_nothing(string name)
    {
        PipeReader reader = Readers.Get(name).Create(1_000);
        reader.CancelPendingRead();

        OperationCanceledException exception = await Assert.ThrowsAsync<OperationCanceledException>(
            () => reader.ReadBytesAsync().TakeAsync());

        Assert.Contains(nameof(PipeReader.CancelPendingRead), exception.Message, StringComparison.Ordinal);
        await reader.AssertRestAsync(0, 1_000);
        await reader.CompleteAsync();
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits)]
    public async Task CancelPendingRead_ends_a_move_that_waits_and_loses_nothing(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        fed.Feed(TestContent.Of(3).Span);
        RecordSequence<int>.Enumerator walk = fed.Reader.ReadRecordsAsync<int>().GetAsyncEnumerator();
        SegmentSequence.NextAwaitable move = walk.MoveNextAsync();

        fed.Reader.CancelPendingRead();

        await Assert.ThrowsAsync<OperationCanceledException>(async () => await move);
        await walk.DisposeAsync();
        fed.Feed(TestContent.Between(3, 10).Span);
        Assert.Equal(TestContent.Of(10).ToArray(), await fed.Reader.ReadBytesAsync().TakeAsync(10));
    }

    [Fact]
    public async Task An_iteration_continues_after_CancelPendingRead_if_it_is_asked_to()
    {
        var reader = ScriptedReader.Of("on", "e\nt", "wo\n");
        LineSequence.Enumerator walk = reader.ReadLinesAsync().GetAsyncEnumerator();
        reader.CancelPendingRead();
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await walk.MoveNextAsync());
        Assert.True(await walk.MoveNextAsync());
        Assert.Equal("one", Text.Of(walk.Current.Span));
        reader.CancelPendingRead();
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await walk.MoveNextAsync());

        Assert.True(await walk.MoveNextAsync());

        Assert.Equal("two", Text.Of(walk.Current.Span));
        await walk.DisposeAsync();
    }

    [Theory, EveryValue]
    public async Task The_interface_is_cancelled_by_either_token(bool sequences)
    {
        using var one = new CancellationTokenSource();
        using var other = new CancellationTokenSource();
        var pipe = new Pipe();
        IAsyncEnumerator<byte> walk =
            pipe.Reader.ReadBytesAsync(one.Token).AsAsyncEnumerable().GetAsyncEnumerator(other.Token);
        ValueTask<bool> move = walk.MoveNextAsync();
        Assert.False(move.IsCompleted);

        await (sequences ? one : other).CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => move.Soon());
        await walk.DisposeAsync();
    }

    [Fact]
    public async Task The_interfaces_exception_names_the_token()
    {
        using var cancelling = new CancellationTokenSource();
        await cancelling.CancelAsync();
        ByteSequence bytes = ScriptedReader.Of("abc").ReadBytesAsync();

        OperationCanceledException exception = await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await bytes.AsAsyncEnumerable().GetAsyncEnumerator(cancelling.Token).MoveNextAsync());

        Assert.Equal(cancelling.Token, exception.CancellationToken);
    }
}
