using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using Millrace.Sequences;

namespace Millrace;

/// <summary>Iterates over the bytes, segments, lines and records of a <see cref="PipeReader"/>.</summary>
/// <remarks>
/// Iterations begin where the reader is and leave it after the elements they took, so one may follow the other, and a caller may go on with
/// ReadAsync. They do not complete the reader. Until an iteration is disposed the reader is its own: completing it within the loop
/// frees the memory that the iteration reads through a pointer.
/// </remarks>
public static class PipeReaderSequenceExtensions
{
    /// <summary>Reads byte by byte: <c>await foreach (byte b in reader.ReadBytesAsync())</c>.</summary>
    /// <param name="reader">What to read. It stays the caller's, who completes or disposes it.</param>
    /// <param name="cancellationToken">Looked at before every read, so once for many bytes.</param>
    public static ByteSequence ReadBytesAsync(this PipeReader reader, CancellationToken cancellationToken = default) =>
        new(SequenceSource.From(reader, cancellationToken));

    /// <summary>Reads the data segment by segment: <c>await foreach (ReadOnlyMemory&lt;byte&gt; segment in …)</c>.</summary>
    /// <param name="reader">What to read. It stays the caller's, who completes or disposes it.</param>
    /// <param name="cancellationToken">Looked at before every read.</param>
    public static SegmentSequence ReadSegmentsAsync(this PipeReader reader, CancellationToken cancellationToken = default) =>
        new(SequenceSource.From(reader, cancellationToken));

    /// <summary>Hands every segment to a delegate: the fast way with the least code.</summary>
    /// <param name="reader">What to read. It stays the caller's, who completes or disposes it.</param>
    /// <param name="action">
    /// Called in order, one segment at a time, never with an empty one. The span is valid until it returns. If it throws, the
    /// segment counts as not taken.
    /// </param>
    /// <param name="cancellationToken">Looked at before every read.</param>
    /// <returns>How many bytes there were.</returns>
    /// <exception cref="OperationCanceledException">The token is cancelled, or the read was.</exception>
    public static ValueTask<long> ForEachSegmentAsync(
        this PipeReader reader, Action<ReadOnlySpan<byte>> action, CancellationToken cancellationToken = default) =>
        SequenceSource.From(reader, cancellationToken).ForEachSegmentAsync(action);

    /// <summary>The same with a state, so that the delegate need not capture anything.</summary>
    /// <param name="reader">What to read. It stays the caller's, who completes or disposes it.</param>
    /// <param name="state">Handed to every call.</param>
    /// <param name="action">Called in order, one segment at a time, never with an empty one. The span is valid until it returns.</param>
    /// <param name="cancellationToken">Looked at before every read.</param>
    /// <returns>How many bytes there were.</returns>
    /// <exception cref="OperationCanceledException">The token is cancelled, or the read was.</exception>
    public static ValueTask<long> ForEachSegmentAsync<TState>(
        this PipeReader reader,
        TState state,
        ReadOnlySpanAction<byte, TState> action,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return SequenceSource.From(reader, cancellationToken).ForEachSegmentAsync(state, action);
    }

    /// <summary>Reads line by line, as bytes: <c>await foreach (ReadOnlyMemory&lt;byte&gt; line in …)</c>.</summary>
    /// <param name="reader">What to read. It stays the caller's, who completes or disposes it.</param>
    /// <param name="maxLength">
    /// The longest line that is accepted, in bytes without its end, 1 or more. A longer one is a <see cref="RecordException"/>
    /// as soon as it is known to be longer; without a limit, data without line ends is read into memory, as far as the reader
    /// holds it: a file pipe's limit is its <see cref="FilePipeError.BufferLimit"/>.
    /// </param>
    /// <param name="cancellationToken">Looked at before every read, so once for many lines.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxLength"/> is less than 1.</exception>
    public static LineSequence ReadLinesAsync(
        this PipeReader reader, int maxLength = int.MaxValue, CancellationToken cancellationToken = default) =>
        SequenceSource.From(reader, cancellationToken).Lines(maxLength);

    /// <summary>Reads records of one size: <c>await foreach (long value in reader.ReadRecordsAsync&lt;long&gt;())</c>.</summary>
    /// <typeparam name="T">
    /// A number, an enum, or a structure of them without padding that the data lacks. With a byte order that is not the
    /// machine's its fields must be numbers, characters, truth values or enums, not structures, and must not overlap.
    /// </typeparam>
    /// <param name="reader">What to read. It stays the caller's, who completes or disposes it.</param>
    /// <param name="byteOrder">The order of the bytes of numbers in the data.</param>
    /// <param name="cancellationToken">Looked at before every read, so once for many records.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="byteOrder"/> is not a defined value.</exception>
    /// <exception cref="NotSupportedException">The byte order of <typeparamref name="T"/> cannot be changed.</exception>
    public static RecordSequence<T> ReadRecordsAsync<
        [DynamicallyAccessedMembers(
            DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)] T>(
        this PipeReader reader,
        ByteOrder byteOrder = ByteOrder.LittleEndian,
        CancellationToken cancellationToken = default)
        where T : unmanaged =>
        SequenceSource.From(reader, cancellationToken).Records<T>(byteOrder);
}
