using Millrace.Interop;

namespace Millrace.Tests.Sources;

/// <summary>FIFOs: no length, no seeking, bytes when they come.</summary>
public sealed class FifoTests
{
    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_slow_writer_is_waited_for(ReadStrategy strategy, bool portable)
    {
        using var fifo = new Fifo();
        await using FilePipeReader reader = Open(fifo, strategy, portable);
        for (int i = 0; i < 10; i++)
        {
            ValueTask<ReadResult> read = reader.ReadAsync();
            Assert.False(read.IsCompleted);
            fifo.Write(TestContent.Between(i * 100, (i + 1) * 100).Span);
            ReadResult result = await read.Soon();
            result.AssertStarts(i * 100, 100);
            reader.AdvanceTo(result.Buffer.End);
        }

        fifo.Dispose();
        await reader.AssertRestAsync(1_000, 1_000);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task More_bytes_than_the_kernel_buffers_arrive_complete(ReadStrategy strategy, bool portable)
    {
        const int Length = 3_000_001;
        using var fifo = new Fifo();
        await using FilePipeReader reader = Open(fifo, strategy, portable);
        Task writing = Task.Run(() =>
        {
            for (int start = 0; start < Length; start += 10_007)
            {
                fifo.Write(TestContent.Between(start, Math.Min(Length, start + 10_007)).Span);
            }

            fifo.Dispose();
        });

        await reader.AssertRestAsync(0, Length);
        await writing.Soon();
        Assert.Equal(Length, reader.Position);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_record_longer_than_a_block_is_buffered(ReadStrategy strategy, bool portable)
    {
        const int Length = 1_000_001;
        using var fifo = new Fifo();
        await using FilePipeReader reader = Open(fifo, strategy, portable);
        Task writing = Task.Run(() =>
        {
            fifo.Write(TestContent.Of(Length).Span);
            fifo.Dispose();
        });

        (await reader.HoldAsync(Length)).AssertStarts(0, Length);
        await writing.Soon();
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task ReadAtLeast_hands_out_no_more_than_a_chunk_or_the_minimum_when_it_waits_for_the_end(ReadStrategy strategy, bool portable)
    {
        const int Length = 5_407;
        const int Chunk = 4_096;
        const int Minimum = 4_539;
        using var fifo = new Fifo();
        var options = new FileReadOptions
        {
            Strategy = strategy,
            Portable = portable,
            BufferSize = Chunk,
            BlockBytes = Chunk,
            Length = Length,
        };
        await using FilePipeReader reader = FilePipe.OpenRead(fifo.Path, options);
        fifo.Write(TestContent.Of(Chunk).Span);
        ReadResult first = await reader.ReadAtLeastAsync(Chunk).Soon();
        reader.AdvanceTo(first.Buffer.Start, first.Buffer.Start);
        ValueTask<ReadResult> read = reader.ReadAtLeastAsync(Minimum);
        Assert.False(read.IsCompleted);
        fifo.Write(TestContent.Between(Chunk, Length).Span);

        ReadResult second = await read.Soon();

        second.AssertStarts(0, Minimum);
        Assert.Equal(Minimum, second.Buffer.Length);
        Assert.False(second.IsCompleted);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_writer_that_writes_nothing_yields_an_empty_file(ReadStrategy strategy, bool portable)
    {
        using var fifo = new Fifo();
        await using FilePipeReader reader = Open(fifo, strategy, portable);
        fifo.Dispose();

        await reader.AssertRestAsync(0, 0);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public void A_fifo_has_no_positions(ReadStrategy strategy, bool portable)
    {
        using var fifo = new Fifo();
        using FilePipeReader reader = Open(fifo, strategy, portable);

        Assert.False(reader.CanSeek);
        Assert.Equal(0, reader.Position);
        Assert.Throws<NotSupportedException>(() => reader.Seek(0));
        Assert.Throws<NotSupportedException>(() => reader.Length);
        Assert.Equal(ReadStrategy.Buffered, reader.Strategy);
        Assert.Contains("FIFO", reader.StrategyReason, StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task Position_counts_what_was_consumed(ReadStrategy strategy, bool portable)
    {
        using var fifo = new Fifo();
        await using FilePipeReader reader = Open(fifo, strategy, portable);
        fifo.Write(TestContent.Of(500).Span);

        await reader.SkipAsync(123);

        Assert.Equal(123, reader.Position);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task Reading_ends_at_the_requested_length(ReadStrategy strategy, bool portable)
    {
        using var fifo = new Fifo();
        await using FilePipeReader reader = TestReader.Open(fifo.Path, strategy, portable, new FileReadOptions { Length = 250 });
        fifo.Write(TestContent.Of(500).Span);

        await reader.AssertRestAsync(0, 250);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public void An_offset_is_rejected(ReadStrategy strategy, bool portable)
    {
        using var fifo = new Fifo();

        Assert.Throws<NotSupportedException>(() => TestReader.Open(fifo.Path, strategy, portable, new FileReadOptions { Offset = 1 }));
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_synchronous_read_waits(ReadStrategy strategy, bool portable)
    {
        using var fifo = new Fifo();
        await using FilePipeReader reader = Open(fifo, strategy, portable);
        Task<ReadResult> read = Task.Run(reader.Read);

        fifo.Write(TestContent.Of(100).Span);

        (await read.Soon()).AssertStarts(0);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_synchronous_read_that_waits_can_be_canceled(ReadStrategy strategy, bool portable)
    {
        using var fifo = new Fifo();
        await using FilePipeReader reader = Open(fifo, strategy, portable);
        Task<ReadResult> read = Task.Run(reader.Read);

        reader.CancelPendingRead();

        Assert.True((await read.Soon()).IsCanceled);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task Disposing_while_a_read_waits_returns_at_once_and_ends_the_read(
        ReadStrategy strategy, bool portable)
    {
        using var fifo = new Fifo();
        FilePipeReader reader = Open(fifo, strategy, portable);
        ValueTask<ReadResult> read = reader.ReadAsync();

        await Task.Run(reader.Dispose).Soon();

        await Assert.ThrowsAsync<InvalidOperationException>(() => read.Soon());
    }

    [NeedsTheory(Need.Native)]
    [InlineData(ReadStrategy.Auto)]
    [InlineData(ReadStrategy.Buffered)]
    [InlineData(ReadStrategy.ReadAhead)]
    [InlineData(ReadStrategy.Mapped)]
    [InlineData(ReadStrategy.Direct)]
    public async Task A_reader_that_was_disposed_takes_no_more_from_the_fifo(ReadStrategy strategy)
    {
        // The framework's own read, once begun, waits for bytes and takes them.
        using var fifo = new Fifo();
        FilePipeReader first = Open(fifo, strategy, portable: false);
        fifo.Write(TestContent.Of(10).Span);
        await first.SkipAsync(10);
        ValueTask<ReadResult> read = first.ReadAsync();
        await first.CompleteAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(() => read.Soon());

        await using FilePipeReader second = Open(fifo, strategy, portable: false);
        fifo.Write(TestContent.Of(100).Span);

        (await second.HoldAsync(100)).AssertStarts(0, 100);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_handle_of_a_fifo_is_read(ReadStrategy strategy, bool portable)
    {
        using var fifo = new Fifo();
        await using FilePipeReader reader = FilePipe.OpenRead(
            File.OpenHandle(fifo.Path), new FileReadOptions { Strategy = strategy, Portable = portable });
        fifo.Write(TestContent.Of(100).Span);
        fifo.Dispose();

        await reader.AssertRestAsync(0, 100);
    }

    private static FilePipeReader Open(Fifo fifo, ReadStrategy strategy, bool portable) =>
        TestReader.Open(fifo.Path, strategy, portable);
}
