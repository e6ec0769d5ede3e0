namespace Millrace.Tests.Sequences;

/// <summary>Behaviour that only streams have: a position, and that they stay open.</summary>
public sealed class StreamSequenceTests
{
    // More than is read ahead at a time.
    private const int Length = 300_000;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(65_536)]
    [InlineData(65_537)]
    [InlineData(Length)]
    public async Task A_stream_that_can_seek_is_left_after_the_last_byte_taken(int count)
    {
        await using var stream = new FileStream(
            TestFolder.SharedFile(Length), FileMode.Open, FileAccess.Read, FileShare.Read);
        RecordSequence<byte>.Enumerator walk = stream.ReadBytesAsync().GetAsyncEnumerator();
        for (int i = 0; i < count; i++)
        {
            Assert.True(await walk.MoveNextAsync());
        }

        await walk.DisposeAsync();

        Assert.Equal(count, stream.Position);
    }

    [Fact]
    public async Task An_iteration_begins_at_the_streams_position()
    {
        using var stream = new MemoryStream(TestContent.Of(100).ToArray()) { Position = 40 };

        ReaderExtensions.AssertContent(40, 50, await stream.ReadBytesAsync().TakeAsync(10));

        Assert.Equal(50, stream.Position);
    }

    [Fact]
    public async Task An_iteration_that_was_cancelled_within_a_record_leaves_the_stream_at_its_start()
    {
        using var cancelling = new CancellationTokenSource();
        using var stream = new SeekablePieces(TestContent.Of(100).ToArray(), cancelling);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => stream.ReadRecordsAsync<RecordOf24>(cancellationToken: cancelling.Token).TakeAsync());

        // The token is cancelled by the read of the 50th byte, two records and two bytes after the start.
        Assert.Equal(48, stream.Position);
    }

    [Fact]
    public async Task A_read_that_failed_within_a_record_leaves_the_stream_at_its_start()
    {
        using var stream = new SeekablePieces(TestContent.Of(100).ToArray(), cancelling: null);

        await Assert.ThrowsAsync<IOException>(() => stream.ReadRecordsAsync<RecordOf24>().TakeAsync());

        Assert.Equal(48, stream.Position);
    }

    [Fact]
    public async Task An_iteration_does_not_close_the_stream()
    {
        await using var stream = new PieceStream([Text.Bytes("a\n"), Text.Bytes("b\n")]);

        Assert.Equal(["a", "b"], await stream.ReadLinesAsync().TakeAsync());

        Assert.False(stream.IsDisposed);
    }

    [Fact]
    public async Task A_stream_that_is_closed_within_the_loop_can_be_left()
    {
        byte[] taken = [];
        var stream = new MemoryStream([1, 2, 3]);
        await foreach (byte value in stream.ReadBytesAsync())
        {
            taken = [value];
            await stream.DisposeAsync();
            break;
        }

        Assert.Equal([1], taken);
    }

    [Fact]
    public async Task Several_iterations_over_a_stream_without_positions_go_through_one_reader()
    {
        await using var stream = new PieceStream(Segments.Cut(Text.Bytes("one\ntwo\nbytes"), [5]));
        System.IO.Pipelines.PipeReader reader = System.IO.Pipelines.PipeReader.Create(stream);

        Assert.Equal(["one", "two"], await reader.ReadLinesAsync().TakeAsync(2));
        Assert.Equal("bytes", Text.Of(await reader.ReadBytesAsync().TakeAsync()));
    }

    [Fact]
    public void A_sequence_reads_nothing_before_it_is_walked_over()
    {
        using var stream = new MemoryStream([1, 2, 3]);

        stream.ReadBytesAsync();
        stream.ReadLinesAsync();
        stream.ReadBytesAsync().GetAsyncEnumerator();

        Assert.Equal(0, stream.Position);
    }

    /// <summary>A stream with positions that gives ten bytes a read, and cancels or fails with the one after the fifth.</summary>
    private sealed class SeekablePieces(byte[] content, CancellationTokenSource? cancelling) : MemoryStream(content)
    {
        public override async ValueTask<int> ReadAsync(
            Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Yield();
            if (Position >= 50)
            {
                cancelling?.Cancel();
                cancellationToken.ThrowIfCancellationRequested();
                throw new IOException("The test's failure.");
            }

            return Read(buffer.Span[..Math.Min(10, buffer.Length)]);
        }
    }
}
