using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;

namespace Millrace.Sequences;

/// <summary>The source of a sequence: the implementation that the extensions of readers and streams share.</summary>
internal readonly record struct SequenceSource(PipeReader? Reader, Stream? Stream, CancellationToken CancellationToken)
{
    private readonly bool _continueAnywhere;

    /// <summary>Whether continuations run in the caller's context; true by default.</summary>
    public bool ContinueOnCapturedContext
    {
        get => !_continueAnywhere;
        init => _continueAnywhere = !value;
    }

    public static SequenceSource From(PipeReader reader, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(reader);
        return new SequenceSource(reader, Stream: null, cancellationToken);
    }

    public static SequenceSource From(Stream stream, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(stream);
        return stream.CanRead
            ? new SequenceSource(Reader: null, stream, cancellationToken)
            : throw new ArgumentException("The stream cannot be read.", nameof(stream));
    }

    public LineSequence Lines(int maxLength)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxLength, 1);
        return new LineSequence(this, maxLength);
    }

    public RecordSequence<T> Records<
        [DynamicallyAccessedMembers(
            DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)] T>(ByteOrder byteOrder)
        where T : unmanaged => new(this, RecordBytes<T>.Reverses(typeof(T), byteOrder));

    public ValueTask<long> ForEachSegmentAsync(Action<ReadOnlySpan<byte>> action)
    {
        ArgumentNullException.ThrowIfNull(action);
        return ForEachSegmentAsync(action, static (segment, each) => each(segment));
    }

    public async ValueTask<long> ForEachSegmentAsync<TState>(TState state, ReadOnlySpanAction<byte, TState> action)
    {
        var feed = new Feed(this);
        try
        {
            do
            {
                for (ReadOnlyMemory<byte> segment; !(segment = feed.FirstSegment()).IsEmpty; feed.Take(segment.Length))
                {
                    action(segment.Span, state);
                }
            }
            while (await feed.ReadMoreAsync().ConfigureAwait(false));
        }
        finally
        {
            feed.End();
        }

        return feed.Taken;
    }
}
