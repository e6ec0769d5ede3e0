using Millrace.Sequences;

namespace Millrace;

/// <summary>
/// The lines of a pipe or a stream as bytes: <c>await foreach (ReadOnlyMemory&lt;byte&gt; line in
/// reader.ReadLinesAsync())</c>.
/// </summary>
/// <remarks>
/// A line ends with \n or \r\n, which are not part of it; a last one may end with the bytes. Its memory belongs to the walk
/// and is valid until the next line is asked for. A line that lies in one segment is not copied. Ended early, the walk leaves
/// the reader after the last line that was taken. One walk at a time; the reader stays the caller's to complete.
/// </remarks>
public readonly partial struct LineSequence : IEquatable<LineSequence>
{
    private readonly SequenceSource _source;
    private readonly int _maxLength;

    internal LineSequence(in SequenceSource source, int maxLength)
    {
        _source = source;
        _maxLength = maxLength;
    }

    /// <summary>Begins a walk; called by <c>await foreach</c>.</summary>
    public Enumerator GetAsyncEnumerator() => new(_source, _maxLength);

    /// <summary>The same sequence, awaited as <see cref="Task.ConfigureAwait(bool)"/> says.</summary>
    /// <param name="continueOnCapturedContext">False to continue on any thread.</param>
    public LineSequence ConfigureAwait(bool continueOnCapturedContext) =>
        new(_source with { ContinueOnCapturedContext = continueOnCapturedContext }, _maxLength);

    /// <inheritdoc/>
    public bool Equals(LineSequence other) => _source == other._source && _maxLength == other._maxLength;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is LineSequence other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_source, _maxLength);

    /// <summary>Whether both walk over the same reader in the same way.</summary>
    public static bool operator ==(LineSequence left, LineSequence right) => left.Equals(right);

    /// <summary>Whether they do not.</summary>
    public static bool operator !=(LineSequence left, LineSequence right) => !left.Equals(right);
}
