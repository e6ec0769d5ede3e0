namespace Millrace.Tests.Sequences;

/// <summary>Something to walk over, a pipe or a stream: the same calls go to the one or the other.</summary>
internal sealed class ByteSource : IAsyncDisposable
{
    private readonly PipeReader? _reader;
    private readonly Stream? _stream;
    private readonly Func<ValueTask>? _cleanUp;

    public ByteSource(PipeReader reader, Func<ValueTask>? cleanUp = null)
    {
        _reader = reader;
        _cleanUp = cleanUp;
    }

    public ByteSource(Stream stream, Func<ValueTask>? cleanUp = null)
    {
        _stream = stream;
        _cleanUp = cleanUp;
    }

    /// <summary>Whether bytes that a walk did not take are there for the next one.</summary>
    public bool KeepsTheRest => _stream is null or { CanSeek: true };

    public ByteSequence Bytes(CancellationToken cancellationToken = default) =>
        _reader?.ReadBytesAsync(cancellationToken) ?? _stream!.ReadBytesAsync(cancellationToken);

    public SegmentSequence Segments(CancellationToken cancellationToken = default) =>
        _reader?.ReadSegmentsAsync(cancellationToken) ?? _stream!.ReadSegmentsAsync(cancellationToken);

    public LineSequence Lines(int maxLength = int.MaxValue, CancellationToken cancellationToken = default) =>
        _reader?.ReadLinesAsync(maxLength, cancellationToken) ?? _stream!.ReadLinesAsync(maxLength, cancellationToken);

    public RecordSequence<T> Records<T>(
        ByteOrder byteOrder = ByteOrder.LittleEndian, CancellationToken cancellationToken = default)
        where T : unmanaged =>
        _reader?.ReadRecordsAsync<T>(byteOrder, cancellationToken)
        ?? _stream!.ReadRecordsAsync<T>(byteOrder, cancellationToken);

    public ValueTask<long> ForEachSegmentAsync(
        Action<ReadOnlySpan<byte>> action, CancellationToken cancellationToken = default) =>
        _reader?.ForEachSegmentAsync(action, cancellationToken) ?? _stream!.ForEachSegmentAsync(action, cancellationToken);

    /// <summary>Reads the rest, as a caller without sequences does.</summary>
    public async Task<byte[]> ReadToEndAsync()
    {
        using var rest = new MemoryStream();
        if (_stream is not null)
        {
            await _stream.CopyToAsync(rest).Soon();
            return rest.ToArray();
        }

        while (true)
        {
            ReadResult result = await _reader!.ReadAsync().Soon();
            Assert.False(result.IsCanceled);
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                rest.Write(segment.Span);
            }

            _reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return rest.ToArray();
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_reader is not null)
        {
            await _reader.CompleteAsync();
        }

        if (_stream is not null)
        {
            await _stream.DisposeAsync();
        }

        if (_cleanUp is not null)
        {
            await _cleanUp();
        }
    }
}
