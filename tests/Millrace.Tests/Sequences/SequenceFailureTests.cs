namespace Millrace.Tests.Sequences;

/// <summary>Walks over readers that fail, and where the reader is afterwards.</summary>
public sealed class SequenceFailureTests
{
    private const int MiB = 1024 * 1024;

    [Fact]
    public async Task A_readers_exception_follows_every_byte_before_it()
    {
        var reason = new IOException("The test's failure.");
        var reader = new ScriptedReader([ScriptedReader.Piece("ab"), ScriptedReader.Failure(reason)]);
        var taken = new List<byte>();

        IOException exception = await Assert.ThrowsAsync<IOException>(
            () => reader.ReadRecordsAsync<byte>().TakeInto(taken));

        Assert.Same(reason, exception);
        Assert.Equal("ab"u8.ToArray(), taken);
    }

    [Fact]
    public async Task Iterating_can_continue_after_a_reader_failed_once()
    {
        var reader = new ScriptedReader([
            ScriptedReader.Piece("on"), ScriptedReader.Failure(new IOException("The test's failure.")),
            ScriptedReader.Piece("e\ntwo")]);
        await Assert.ThrowsAsync<IOException>(() => reader.ReadLinesAsync().TakeAsync());

        Assert.Equal(["one", "two"], await reader.ReadLinesAsync().TakeAsync());
    }

    [Fact]
    public async Task A_move_after_a_failed_one_continues_at_the_same_place()
    {
        var reader = new ScriptedReader([
            ScriptedReader.Piece("ab"), ScriptedReader.Failure(new IOException("The test's failure.")),
            ScriptedReader.Piece("cdefgh")]);
        RecordSequence<int>.Enumerator walk = reader.ReadRecordsAsync<int>().GetAsyncEnumerator();
        await Assert.ThrowsAsync<IOException>(async () => await walk.MoveNextAsync());

        Assert.True(await walk.MoveNextAsync());

        Assert.Equal(BitConverter.ToInt32("abcd"u8), walk.Current);
        await walk.DisposeAsync();
        Assert.Equal(4, reader.Consumed);
    }

    [Fact]
    public async Task An_exception_in_the_loop_leaves_the_reader_after_consumed_bytes()
    {
        var reader = ScriptedReader.Of("one\ntwo\nthree\n");

        await Assert.ThrowsAsync<NotSupportedException>(async () =>
        {
            await foreach (ReadOnlyMemory<byte> line in reader.ReadLinesAsync())
            {
                if (line.Span.SequenceEqual("two"u8))
                {
                    throw new NotSupportedException("The test's failure.");
                }
            }
        });

        Assert.Equal(8, reader.Consumed);
    }

    [Theory, EveryValue]
    public async Task An_exception_of_the_delegate_leaves_a_strict_reader_usable(bool waits)
    {
        var reader = new ScriptedReader([ScriptedReader.Piece("ab"), ScriptedReader.Piece("cd")], waits: waits);

        await Assert.ThrowsAsync<NotSupportedException>(() => reader.ReadBytesAsync().ForEachAsync(value =>
        {
            if (value == 'd')
            {
                throw new NotSupportedException("The test's failure.");
            }
        }).Soon());

        Assert.Equal("cd"u8.ToArray(), await reader.ReadBytesAsync().TakeAsync());
    }

    [Theory, EveryValue]
    public async Task A_line_over_the_buffer_limit_throws_and_stays_readable(
        ReadStrategy strategy, bool portable)
    {
        // No line feed in 9 MiB but the one that is written here.
        byte[] content = new byte[9 * MiB];
        content[3] = (byte)'\n';
        string path = TestFolder.NewPath();
        await File.WriteAllBytesAsync(path, content);
        await using FilePipeReader reader = TestReader.Open(
            path, strategy, portable, new FileReadOptions { BufferSize = 100_000, MaxBufferedBytes = MiB });
        var lines = new List<string>();

        FilePipeException exception = await Fails.WithAsync(
            FilePipeError.BufferLimit, () => reader.ReadLinesAsync().TakeInto(lines));

        Assert.Equal(4, exception.Offset);
        Assert.Equal("\0\0\0", Assert.Single(lines));
        Assert.Equal(4, reader.Position);
        Assert.Equal(content[4..].LongLength, await reader.ForEachSegmentAsync(span => Assert.False(span.ContainsAnyExcept((byte)0))));
    }

    [Theory, EveryValue]
    public async Task Bytes_examined_by_a_failed_iteration_come_with_the_next_read(
        ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = TestReader.Open(
            TestFolder.SharedFile(1_000), strategy, portable, new FileReadOptions { BufferSize = 10 });
        using var cancelling = new CancellationTokenSource();
        reader.CancelPendingRead();
        await Assert.ThrowsAsync<OperationCanceledException>(() => reader.ReadBytesAsync().TakeAsync());
        await Assert.ThrowsAsync<RecordException>(() => reader.ReadRecordsAsync<Huge>().TakeAsync());

        Assert.True(reader.TryRead(out ReadResult result));

        result.AssertStarts(0);
        reader.AdvanceTo(result.Buffer.Start);
        await reader.AssertRestAsync(0, 1_000);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Malformed_lines_and_records_name_their_file(bool stream)
    {
        string path = TestFolder.SharedFile(1_000);
        await using FilePipeReader reader = FilePipe.OpenRead(path);
        await using FileStream file = File.OpenRead(path);

        RecordException line = await Assert.ThrowsAsync<RecordException>(
            () => (stream ? file.ReadLinesAsync(maxLength: 1) : reader.ReadLinesAsync(maxLength: 1)).TakeAsync());
        RecordException record = await Assert.ThrowsAsync<RecordException>(
            () => (stream ? file.ReadRecordsAsync<Huge>() : reader.ReadRecordsAsync<Huge>()).TakeAsync());

        Assert.Equal((path, path), (line.Path, record.Path));
        Assert.Contains($"of '{path}'", line.Message, StringComparison.Ordinal);
        Assert.Contains($"of '{path}'", record.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("abc", 3)]
    [InlineData("abcdefghijk", 1)]
    public async Task A_Pipe_is_usable_after_an_incomplete_record(string text, int piece)
    {
        await using ByteSource source = ByteSources.Open("Pipe", Text.Bytes(text), piece);

        await Assert.ThrowsAsync<RecordException>(() => source.Records<RecordOf24>().TakeAsync());

        Assert.Equal(text[..1], Text.Of(await source.Bytes().TakeAsync(1)));
        Assert.Equal(text[1..], Text.Of(await source.ReadToEndAsync()));
    }

    [Fact]
    public async Task A_Pipe_returns_unexamined_bytes_at_once_after_a_too_long_line()
    {
        var pipe = new Pipe();
        await pipe.Writer.WriteAsync("abc"u8.ToArray());
        LineSequence.Enumerator walk = pipe.Reader.ReadLinesAsync(maxLength: 4).GetAsyncEnumerator();
        SegmentSequence.NextAwaitable move = walk.MoveNextAsync();
        await pipe.Writer.WriteAsync("defg"u8.ToArray());
        await Assert.ThrowsAsync<RecordException>(async () => await move);
        await walk.DisposeAsync();

        ReadResult result = await pipe.Reader.ReadAsync().Soon();

        Assert.Equal(7, result.Buffer.Length);
    }

    [Fact]
    public async Task A_writers_exception_reaches_the_caller()
    {
        var pipe = new Pipe();
        await pipe.Writer.CompleteAsync(new NotSupportedException("The test's failure."));

        await Assert.ThrowsAsync<NotSupportedException>(() => pipe.Reader.ReadBytesAsync().TakeAsync());
    }

    private struct Huge
    {
        public unsafe fixed byte Bytes[1_001];
    }
}
