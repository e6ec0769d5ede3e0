using System.Buffers;
using System.IO.Pipelines;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Millrace.Cli.Scan;

/// <summary>Reads one range for each thing that a scan can find out.</summary>
internal static class RangeCounter
{
    // So many sums of 32 bits fit into 64 whatever they are.
    private const int MaxNumbersAtOnce = 1 << 24;

    /// <summary>Chooses.</summary>
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

    /// <summary>Hands over what there is, again with more behind it until it is taken.</summary>
    /// <param name="reader">The range.</param>
    /// <param name="take">Gets the bytes and whether they are the last; says how many it took, all of the last ones.</param>
    /// <param name="cancellationToken">Looked at before every read.</param>
    /// <returns>How many bytes there were.</returns>
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
