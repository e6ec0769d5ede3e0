using System.Runtime.CompilerServices;
using Millrace.Sequences;

namespace Millrace;

/// <summary>
/// The bytes of a pipe or a stream, one by one: <c>await foreach (byte b in reader.ReadBytesAsync())</c>.
/// </summary>
/// <remarks>
/// It is enumerated by pattern and is no <see cref="IAsyncEnumerable{T}"/>, whose calls cost ten times as much for every
/// byte; <see cref="AsAsyncEnumerable"/> returns one if you need it. The iteration begins where the reader is. Ended early, it
/// leaves the reader after the last byte that was taken. One iteration at a time; the reader stays the caller's to complete.
/// </remarks>
public readonly record struct ByteSequence
{
    private readonly SequenceSource _source;

    internal ByteSequence(in SequenceSource source) => _source = source;

    /// <summary>Begins an iteration; called by <c>await foreach</c>.</summary>
    public RecordSequence<byte>.Enumerator GetAsyncEnumerator() => new(_source, reverses: false);

    /// <summary>The same sequence, awaited as with <see cref="Task.ConfigureAwait(bool)"/>.</summary>
    /// <param name="continueOnCapturedContext">False to continue on any thread.</param>
    public ByteSequence ConfigureAwait(bool continueOnCapturedContext) =>
        new(_source with { ContinueOnCapturedContext = continueOnCapturedContext });

    /// <summary>The same bytes for whatever asks for the interface. Each costs as much as with any async iterator.</summary>
    public IAsyncEnumerable<byte> AsAsyncEnumerable() => new RecordSequence<byte>(_source, reverses: false).AsAsyncEnumerable();

    /// <summary>Calls a delegate with every byte.</summary>
    /// <param name="action">
    /// Called on the thread that has the bytes, in order. If it throws, the reader is left at the start of the segment whose
    /// byte it was.
    /// </param>
    /// <exception cref="OperationCanceledException">The sequence's token is cancelled, or the read was.</exception>
    public async ValueTask ForEachAsync(Action<byte> action)
    {
        ArgumentNullException.ThrowIfNull(action);
        await _source.ForEachSegmentAsync(action, static (segment, each) =>
        {
            foreach (byte value in segment)
            {
                each(value);
            }
        }).ConfigureAwait(false);
    }

    /// <summary>Folds all bytes into one value.</summary>
    /// <param name="seed">The initial value, and the result when there are no bytes.</param>
    /// <param name="accumulate">Takes the value so far and the next byte.</param>
    /// <exception cref="OperationCanceledException">The sequence's token is cancelled, or the read was.</exception>
    public async ValueTask<TResult> AggregateAsync<TResult>(TResult seed, Func<TResult, byte, TResult> accumulate)
    {
        ArgumentNullException.ThrowIfNull(accumulate);
        var state = new StrongBox<TResult>(seed);
        await _source.ForEachSegmentAsync((state, accumulate), static (segment, fold) =>
        {
            TResult value = fold.state.Value!;
            foreach (byte next in segment)
            {
                value = fold.accumulate(value, next);
            }

            fold.state.Value = value;
        }).ConfigureAwait(false);
        return state.Value!;
    }
}
