namespace Millrace.Transfer;

/// <summary>
/// The parts of a file that are missing, and which connection fetches which. An idle connection takes half of what another one
/// has left most of. Thread-safe.
/// </summary>
internal sealed class RangeQueue
{
    private readonly Lock _lock = new();
    private readonly List<Piece> _pieces = [];
    private long _left;

    // Those in front of it are all taken.
    private int _next;

    /// <summary>Begins.</summary>
    /// <param name="missing">Pairs of first byte and first byte after, in order.</param>
    public RangeQueue(ReadOnlySpan<long> missing)
    {
        for (int i = 0; i + 1 < missing.Length; i += 2)
        {
            if (missing[i] < missing[i + 1])
            {
                _pieces.Add(new Piece { Next = missing[i], End = missing[i + 1] });
                _left += missing[i + 1] - missing[i];
            }
        }
    }

    /// <summary>A part for an idle connection; null when nothing is left that is worth dividing.</summary>
    public Piece? Take()
    {
        lock (_lock)
        {
            if (TakeNext() is { } next)
            {
                return next;
            }

            Piece? largest = null;
            foreach (Piece piece in _pieces)
            {
                if (piece.Left > (largest?.Left ?? 0))
                {
                    largest = piece;
                }
            }

            if (largest is null || largest.Left < 2 * RangeRule.MinBytes)
            {
                return null;
            }

            long middle = largest.Next + (largest.Left / 2);
            var half = new Piece { Next = middle, End = largest.End, IsTaken = true };
            largest.End = middle;
            _pieces.Add(half);
            return half;
        }
    }

    /// <summary>Several short parts, for a connection that asks for them at once; empty if the next is long, or none is left.</summary>
    /// <param name="most">Parts at most.</param>
    /// <param name="maxBytes">Bytes of them together at most.</param>
    public List<Piece> TakeShort(int most, long maxBytes)
    {
        lock (_lock)
        {
            var taken = new List<Piece>();
            while (taken.Count < most && _next < _pieces.Count && (_pieces[_next].IsTaken || _pieces[_next].Left <= maxBytes))
            {
                if (TakeNext() is { } piece)
                {
                    taken.Add(piece);
                    maxBytes -= piece.Left;
                }
            }

            return taken;
        }
    }

    /// <summary>How many bytes from its next one on a part still wants.</summary>
    public long LeftOf(Piece piece)
    {
        lock (_lock)
        {
            return piece.Left;
        }
    }

    /// <summary>So many more bytes of a part are written.</summary>
    /// <returns>Bytes that are missing in all.</returns>
    public long Advance(Piece piece, int bytes)
    {
        lock (_lock)
        {
            // Another connection may have taken the end of it meanwhile, and writes the same bytes there.
            long before = piece.Left;
            piece.Next = Math.Min(piece.End, piece.Next + bytes);
            _left -= before - piece.Left;
            return _left;
        }
    }

    private Piece? TakeNext()
    {
        for (; _next < _pieces.Count; _next++)
        {
            if (_pieces[_next] is { IsTaken: false, Left: > 0 } piece)
            {
                _next++;
                piece.IsTaken = true;
                return piece;
            }
        }

        return null;
    }

    /// <summary>The missing ranges, as pairs in order.</summary>
    public long[] Missing()
    {
        lock (_lock)
        {
            return [.. _pieces.Where(piece => piece.Left > 0).OrderBy(piece => piece.Next).SelectMany(piece => new[] { piece.Next, piece.End })];
        }
    }

    /// <summary>A part of the file. Changed by the queue alone.</summary>
    public sealed class Piece
    {
        public long Next { get; set; }

        public long End { get; set; }

        public bool IsTaken { get; set; }

        public long Left => End - Next;
    }
}

/// <summary>
/// When several connections are worth it: the way is long, so that a window's worth is little for each round trip, and what
/// is left takes long enough to gain from more of them.
/// </summary>
internal static class RangeRule
{
    /// <summary>Below this a round trip costs less than another connection's beginning.</summary>
    public static readonly TimeSpan MinRoundTrip = TimeSpan.FromMilliseconds(10);

    /// <summary>How long one connection is watched first: windows open in that time.</summary>
    public static readonly TimeSpan Watched = TimeSpan.FromSeconds(1);

    /// <summary>The rest has to take at least this long.</summary>
    public static readonly TimeSpan MinLeft = TimeSpan.FromSeconds(2);

    /// <summary>A range that takes less than a few round trips is not divided any further.</summary>
    public const long MinBytes = 1024 * 1024;

    /// <summary>Whether the rest is fetched by several connections.</summary>
    public static bool IsWorthIt(TimeSpan roundTrip, long moved, TimeSpan elapsed, long left) =>
        roundTrip >= MinRoundTrip
        && elapsed >= Watched
        && left >= 2 * MinBytes
        && left > moved / elapsed.TotalSeconds * MinLeft.TotalSeconds;
}
