namespace Millrace.Tests.Scanning;

/// <summary>One random case: a file of records, the rule for their ends, and how it is scanned.</summary>
internal sealed record ScanCase(
    BoundaryKind Kind,
    IReadOnlyList<int> Lengths,
    bool Ended,
    int Size,
    int First,
    int LookAhead,
    int Degree,
    FileReadOptions Options)
{
    private const byte Delimiter = (byte)'|';
    private const byte Mark = 0xFE;
    private const int LengthOfMark = 3;

    /// <summary>The file: records of the lengths, without the end of the last one unless <see cref="Ended"/>.</summary>
    public byte[] Content()
    {
        var bytes = new List<byte>();
        foreach (int length in Lengths)
        {
            if (Kind == BoundaryKind.Mark)
            {
                bytes.AddRange(Enumerable.Repeat(Mark, LengthOfMark));
            }

            for (int i = 0; i < length; i++)
            {
                bytes.Add((byte)('a' + (bytes.Count % 23)));
            }

            if (Kind == BoundaryKind.Delimiter)
            {
                bytes.Add(Delimiter);
            }
        }

        if (!Ended && bytes.Count > 0)
        {
            bytes.RemoveAt(bytes.Count - 1);
        }

        return [.. bytes];
    }

    /// <summary>The scan's boundary.</summary>
    public RecordBoundary Boundary() => Kind switch
    {
        BoundaryKind.Delimiter => RecordBoundary.After(Delimiter),
        BoundaryKind.Size => RecordBoundary.Every(Size, First),
        BoundaryKind.Mark => RecordBoundary.Where(IsMarked, LookAhead),
        BoundaryKind.Place => RecordBoundary.Where((offset, _) => offset % Size == 0),
        _ => default,
    };

    /// <summary>Whether a record begins somewhere after the first byte of the scanned part, by the definition alone.</summary>
    public bool Begins(ReadOnlySpan<byte> content, int place, int end) => Kind switch
    {
        BoundaryKind.Delimiter => content[place - 1] == Delimiter,
        BoundaryKind.Size => place >= First && (place - First) % Size == 0,
        BoundaryKind.Mark => IsMarked(place, content[place..Math.Min(place + LookAhead, end)]),
        BoundaryKind.Place => place % Size == 0,
        _ => true,
    };

    public override string ToString() =>
        $"{Kind}, {Lengths.Count} records of {string.Join(' ', Lengths)}, ended {Ended}, size {Size}, first {First}, "
        + $"looking ahead {LookAhead}, degree {Degree}, from {Options.Offset}, length {Options.Length?.ToString() ?? "all"}, "
        + $"{Options.Strategy}, {(Options.Portable ? "portable" : "native")}";

    private static bool IsMarked(long offset, ReadOnlySpan<byte> following) =>
        following.Length >= LengthOfMark && following[..LengthOfMark].IndexOfAnyExcept(Mark) < 0;
}
