using System.Runtime.CompilerServices;
using Millrace.Sequences;

namespace Millrace;

/// <summary>
/// The fixed-size records of a pipe or a stream: <c>await foreach (long value in reader.ReadRecordsAsync&lt;long&gt;(…))</c>.
/// </summary>
/// <typeparam name="T">The record, in memory as in the file: without references, and without padding that the file lacks.</typeparam>
/// <remarks>
/// A record is read where it lies; only one that spans two segments is copied. Ended early, the walk leaves the reader after
/// the last record that was taken. One walk at a time; the reader stays the caller's to complete.
/// </remarks>
public readonly partial struct RecordSequence<T> : IEquatable<RecordSequence<T>>
    where T : unmanaged
{
    private readonly SequenceSource _source;
    private readonly bool _reverses;

    internal RecordSequence(in SequenceSource source, bool reverses)
    {
        _source = source;
        _reverses = reverses;
    }

    /// <summary>Begins a walk; called by <c>await foreach</c>.</summary>
    public Enumerator GetAsyncEnumerator() => new(_source, _reverses);

    /// <summary>The same sequence, awaited as <see cref="Task.ConfigureAwait(bool)"/> says.</summary>
    /// <param name="continueOnCapturedContext">False to continue on any thread.</param>
    public RecordSequence<T> ConfigureAwait(bool continueOnCapturedContext) =>
        new(_source with { ContinueOnCapturedContext = continueOnCapturedContext }, _reverses);

    /// <summary>The same records for whatever asks for the interface. Each costs as much as with any async iterator.</summary>
    public IAsyncEnumerable<T> AsAsyncEnumerable() => IterateAsync(_source, _reverses);

    /// <inheritdoc/>
    public bool Equals(RecordSequence<T> other) => _source == other._source && _reverses == other._reverses;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is RecordSequence<T> other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_source, _reverses);

    /// <summary>Whether both walk over the same reader in the same way.</summary>
    public static bool operator ==(RecordSequence<T> left, RecordSequence<T> right) => left.Equals(right);

    /// <summary>Whether they do not.</summary>
    public static bool operator !=(RecordSequence<T> left, RecordSequence<T> right) => !left.Equals(right);

    private static async IAsyncEnumerable<T> IterateAsync(
        SequenceSource source, bool reverses, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        // Two tokens only where there are two: an exception then names the one that was cancelled.
        using CancellationTokenSource? both = source.CancellationToken.CanBeCanceled && cancellationToken.CanBeCanceled
            ? CancellationTokenSource.CreateLinkedTokenSource(source.CancellationToken, cancellationToken)
            : null;
        CancellationToken either = both?.Token
            ?? (cancellationToken.CanBeCanceled ? cancellationToken : source.CancellationToken);
        var records = new RecordSequence<T>(source with { CancellationToken = either }, reverses);
#pragma warning disable CA2007 // This ConfigureAwait is the sequence's own, which the rule does not know.
        await foreach (T record in records.ConfigureAwait(false))
#pragma warning restore CA2007
        {
            yield return record;
        }
    }
}
