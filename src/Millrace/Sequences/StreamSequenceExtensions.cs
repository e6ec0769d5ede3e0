using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using Millrace.Sequences;

namespace Millrace;

/// <summary>Iterates over the bytes, segments, lines and records of a <see cref="Stream"/>.</summary>
/// <remarks>
/// An iteration reads ahead into buffers of 64 KiB. It ends by moving a seekable stream to the end of the elements taken; of any other, the
/// bytes that were read ahead are lost when the iteration is ended early. For several iterations over such a stream make one PipeReader.
/// </remarks>
public static class StreamSequenceExtensions
{
    /// <inheritdoc cref="PipeReaderSequenceExtensions.ReadBytesAsync"/>
    public static ByteSequence ReadBytesAsync(this Stream stream, CancellationToken cancellationToken = default) =>
        new(SequenceSource.From(stream, cancellationToken));

    /// <inheritdoc cref="PipeReaderSequenceExtensions.ReadSegmentsAsync"/>
    public static SegmentSequence ReadSegmentsAsync(this Stream stream, CancellationToken cancellationToken = default) =>
        new(SequenceSource.From(stream, cancellationToken));

    /// <inheritdoc cref="PipeReaderSequenceExtensions.ForEachSegmentAsync(PipeReader, Action{ReadOnlySpan{byte}}, CancellationToken)"/>
    public static ValueTask<long> ForEachSegmentAsync(
        this Stream stream, Action<ReadOnlySpan<byte>> action, CancellationToken cancellationToken = default) =>
        SequenceSource.From(stream, cancellationToken).ForEachSegmentAsync(action);

    /// <inheritdoc cref="PipeReaderSequenceExtensions.ForEachSegmentAsync{TState}(PipeReader, TState, ReadOnlySpanAction{byte, TState}, CancellationToken)"/>
    public static ValueTask<long> ForEachSegmentAsync<TState>(
        this Stream stream,
        TState state,
        ReadOnlySpanAction<byte, TState> action,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return SequenceSource.From(stream, cancellationToken).ForEachSegmentAsync(state, action);
    }

    /// <inheritdoc cref="PipeReaderSequenceExtensions.ReadLinesAsync"/>
    public static LineSequence ReadLinesAsync(
        this Stream stream, int maxLength = int.MaxValue, CancellationToken cancellationToken = default) =>
        SequenceSource.From(stream, cancellationToken).Lines(maxLength);

    /// <inheritdoc cref="PipeReaderSequenceExtensions.ReadRecordsAsync{T}"/>
    public static RecordSequence<T> ReadRecordsAsync<
        [DynamicallyAccessedMembers(
            DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)] T>(
        this Stream stream,
        ByteOrder byteOrder = ByteOrder.LittleEndian,
        CancellationToken cancellationToken = default)
        where T : unmanaged =>
        SequenceSource.From(stream, cancellationToken).Records<T>(byteOrder);
}
