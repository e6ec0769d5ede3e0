using System.Buffers;
using System.IO.Pipelines;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Millrace.Cli;

/// <summary>Reads one range for each thing that a scan can find out.</summary>
internal static class RangeCounter
{
    // So many sums of 32 bits fit into 64 whatever they are.
    private const int MaxNumbersAtOnce = 1 << 24;

    public static Func<FilePipeReader, CancellationToken, ValueTask<RangeTally>> For(ScanArguments arguments) => arguments switch
    {
        { What: ScanWhat.Bytes } => CountBytesAsync,
        { What: ScanWhat.Sum } => SumAsync,
        { What: ScanWhat.Find } => (reader, token) => FindAsync(reader, arguments, token),
        { RecordSize: > 0 } => (reader, token) => CountSizedAsync(reader, arguments.RecordSize, token),
        _ => (reader, token) => CountDelimitedAsync(reader, arguments, token),
    };

    private static async ValueTask<RangeTally> CountBytesAsync(FilePipeReader reader, CancellationToken cancellationToken)
    {
        long bytes = await reader.ForEachSegmentAsync(static _ => { }, cancellationToken).ConfigureAwait(false);
        return new RangeTally(bytes, bytes, 0);
    }

    private static async ValueTask<RangeTally> CountSizedAsync(
        FilePipeReader reader, int size, CancellationToken cancellationToken)
    {
        long bytes = await reader.ForEachSegmentAsync(static _ => { }, cancellationToken).ConfigureAwait(false);
        return new RangeTally(bytes / size, bytes, bytes % size);
    }

    private static async ValueTask<RangeTally> CountDelimitedAsync(
        FilePipeReader reader, ScanArguments arguments, CancellationToken cancellationToken)
    {
        byte delimiter = arguments.Delimiter!.Value;
        long count = 0;
        long rest = 0;
        long bytes = await reader.ForEachSegmentAsync(
            segment =>
            {
                count += segment.Count(delimiter);
                int last = segment.LastIndexOf(delimiter);
                rest = last < 0 ? rest + segment.Length : segment.Length - last - 1;
            },
            cancellationToken).ConfigureAwait(false);

        // What `wc -l` counts is line ends; a record that nothing ends is one all the same.
        return new RangeTally(arguments.What == ScanWhat.Records && rest > 0 ? count + 1 : count, bytes, rest);
    }

    private static async ValueTask<RangeTally> FindAsync(
        FilePipeReader reader, ScanArguments arguments, CancellationToken cancellationToken)
    {
        var finder = new RecordFinder(arguments.Text, arguments.Delimiter, arguments.RecordSize);
        long bytes = await WalkAsync(reader, finder.Take, cancellationToken).ConfigureAwait(false);
        return new RangeTally(finder.Found, bytes, 0);
    }

    private static async ValueTask<RangeTally> SumAsync(FilePipeReader reader, CancellationToken cancellationToken)
    {
        Int128 sum = 0;
        long rest = 0;
        long bytes = await WalkAsync(
            reader,
            (buffer, last) =>
            {
                int whole = Math.Min(buffer.Length / sizeof(long), MaxNumbersAtOnce);
                sum += Sum(MemoryMarshal.Cast<byte, long>(buffer[..(whole * sizeof(long))]));
                rest = buffer.Length - (whole * sizeof(long));
                return last && rest < sizeof(long) ? buffer.Length : whole * sizeof(long);
            },
            cancellationToken).ConfigureAwait(false);
        return new RangeTally(sum, bytes, rest);
    }

    /// <summary>Adds the halves of the numbers for themselves, so that nothing overflows.</summary>
    private static Int128 Sum(ReadOnlySpan<long> numbers)
    {
        ReadOnlySpan<Vector<long>> vectors = MemoryMarshal.Cast<long, Vector<long>>(numbers);
        Vector<long> lows = Vector<long>.Zero;
        Vector<long> highs = Vector<long>.Zero;
        var low = new Vector<long>(uint.MaxValue);
        foreach (Vector<long> vector in vectors)
        {
            lows += vector & low;
            highs += vector >> 32;
        }

        Int128 sum = ((Int128)Vector.Sum(highs) << 32) + Vector.Sum(lows);
        foreach (long number in numbers[(vectors.Length * Vector<long>.Count)..])
        {
            sum += number;
        }

        return sum;
    }

    /// <summary>Passes the available bytes to a callback, and again with more bytes until it takes them.</summary>
    private static async ValueTask<long> WalkAsync(
        FilePipeReader reader, Func<ReadOnlySpan<byte>, bool, int> take, CancellationToken cancellationToken)
    {
        long bytes = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync(cancellationToken).ConfigureAwait(false);
            ReadOnlySequence<byte> buffer = result.Buffer;
            int taken = take(buffer.FirstSpan, result.IsCompleted);
            bytes += taken;
            reader.AdvanceTo(buffer.GetPosition(taken), buffer.End);
            if (result.IsCompleted && taken == buffer.Length)
            {
                return bytes;
            }
        }
    }
}

/// <summary>The result of a range, or of several consecutive ones.</summary>
internal readonly record struct RangeTally(Int128 Value, long Bytes, long Rest)
{
    public static RangeTally operator +(RangeTally left, RangeTally right) => new(
        left.Value + right.Value,
        left.Bytes + right.Bytes,

        // A range ends with a record unless the file ends there; one without bytes is a file without any.
        right.Rest);
}

/// <summary>
/// Counts the records that contain a text. Looks for the text first and for the end of its record then, so that records
/// without it cost nothing extra. Needs no whole record in memory.
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

    public RecordFinder(byte[] text, byte? delimiter, int size)
    {
        _text = text;
        _delimiter = delimiter;
        _size = size;
    }

    public long Found { get; private set; }

    /// <summary>Looks through the bytes that follow those that were taken.</summary>
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
