namespace Millrace;

/// <summary>Where one record of a file ends and the next begins. The start of the file always begins one.</summary>
public readonly record struct RecordBoundary
{
    /// <summary>Most bytes that <see cref="Where"/> can look ahead.</summary>
    /// <remarks>A page: enough for any header by which a record is known, small enough to look at anywhere.</remarks>
    internal const int MaxLookAhead = 4096;

    private RecordBoundary(RecordBoundaryKind kind) => Kind = kind;

    internal RecordBoundaryKind Kind { get; }

    internal byte Delimiter { get; private init; }

    internal int Size { get; private init; }

    internal long First { get; private init; }

    internal RecordStart? Start { get; private init; }

    internal int LookAhead { get; private init; }

    /// <summary>Lines: a record ends with the byte \n.</summary>
    public static RecordBoundary Lines => After((byte)'\n');

    /// <summary>A record ends with a byte; the last one need not.</summary>
    public static RecordBoundary After(byte delimiter) =>
        new(RecordBoundaryKind.Delimiter) { Delimiter = delimiter };

    /// <summary>Records of one length.</summary>
    /// <param name="bytes">Length of a record, in bytes, at least 1.</param>
    /// <param name="first">Where the first begins, in bytes from the start of the file: after a header, say.</param>
    /// <exception cref="ArgumentOutOfRangeException">A length less than 1 or a negative offset.</exception>
    public static RecordBoundary Every(int bytes, long first = 0)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(bytes, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(first);
        return new(RecordBoundaryKind.FixedSize) { Size = bytes, First = first };
    }

    /// <summary>A record begins where a predicate is true.</summary>
    /// <param name="isStart">Asked for one place after the other. Called from several threads at once.</param>
    /// <param name="lookAhead">How many bytes it is shown, 0 to 4096.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="lookAhead"/> is out of its range.</exception>
    public static RecordBoundary Where(RecordStart isStart, int lookAhead = 0)
    {
        ArgumentNullException.ThrowIfNull(isStart);
        ArgumentOutOfRangeException.ThrowIfNegative(lookAhead);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(lookAhead, MaxLookAhead);
        return new(RecordBoundaryKind.Predicate) { Start = isStart, LookAhead = lookAhead };
    }
}

/// <summary>The kind of a <see cref="RecordBoundary"/>.</summary>
internal enum RecordBoundaryKind
{
    /// <summary>One after every byte: the value of an unset boundary.</summary>
    None,

    /// <summary>A byte that ends a record.</summary>
    Delimiter,

    /// <summary>Records of one length.</summary>
    FixedSize,

    /// <summary>A predicate of the caller's.</summary>
    Predicate,
}

/// <summary>Tells whether a record begins somewhere in a file.</summary>
/// <param name="offset">The place, in bytes from the start of the file.</param>
/// <param name="following">
/// The bytes at that offset: as many as requested, fewer near the end of the part that is read. Valid during the call only.
/// </param>
public delegate bool RecordStart(long offset, ReadOnlySpan<byte> following);
