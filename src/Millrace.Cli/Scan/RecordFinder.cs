namespace Millrace.Cli.Scan;

/// <summary>
/// Counts the records that contain a text. Looks for the text first and for the end of its record then, so that records
/// without it cost nothing of their own. Needs no whole record in memory.
/// </summary>
internal sealed class RecordFinder
{
    private readonly byte[] _text;
    private readonly byte? _delimiter;
    private readonly int _size;

    // Where the bytes that come next are, within the range, which begins a record.
    private long _position;

    // The record at hand is counted already: on to its end.
    private bool _counted;

    /// <param name="text">What to look for: not empty, no longer than a record, and without the delimiter.</param>
    /// <param name="delimiter">What ends a record; null for records of one size.</param>
    /// <param name="size">Length of every record, in bytes, where there is no delimiter.</param>
    public RecordFinder(byte[] text, byte? delimiter, int size)
    {
        _text = text;
        _delimiter = delimiter;
        _size = size;
    }

    /// <summary>How many records contained the text so far.</summary>
    public long Found { get; private set; }

    /// <summary>Looks through the bytes that follow those that were taken.</summary>
    /// <returns>How many were taken: all of the last ones, otherwise those that no match can begin in any more.</returns>
    public int Take(ReadOnlySpan<byte> bytes, bool last)
    {
        int taken = 0;
        while (taken < bytes.Length)
        {
            if (_counted)
            {
                taken += SkipRecord(bytes[taken..], taken);
                continue;
            }

            int at = bytes[taken..].IndexOf(_text);
            if (at < 0)
            {
                taken = last ? bytes.Length : Math.Max(taken, bytes.Length - _text.Length + 1);
                break;
            }

            taken += at;
            long offset = _position + taken;
            if (_delimiter is null && offset / _size != (offset + _text.Length - 1) / _size)
            {
                // The end of one record and the beginning of the next.
                taken++;
                continue;
            }

            Found++;
            _counted = true;
        }

        _position += taken;
        return taken;
    }

    /// <summary>How many bytes are left of the record, as far as they are there.</summary>
    private int SkipRecord(ReadOnlySpan<byte> bytes, int taken)
    {
        long end;
        if (_delimiter is { } delimiter)
        {
            int at = bytes.IndexOf(delimiter);
            end = at < 0 ? long.MaxValue : at + 1;
        }
        else
        {
            end = _size - ((_position + taken) % _size);
        }

        _counted = end > bytes.Length;
        return (int)Math.Min(end, bytes.Length);
    }
}
