using System.Buffers.Text;
using System.Numerics;

// Code that is shown is code for programs, most of which have no context to avoid.
#pragma warning disable CA2007

namespace Millrace.Lab.Advising;

/// <content>Those that read bytes and lines of a stream: a file's, or that of HttpClient.GetStreamAsync.</content>
internal static partial class Snippets
{
    public static async Task<ulong> IncrementsSpan(Stream stream)
    {
        ulong sum = 0;

        // snippet: Increments.Span
        byte[] buffer = new byte[65536];
        for (int read; (read = await stream.ReadAsync(buffer)) > 0;)
        {
            foreach (byte value in buffer.AsSpan(0, read))
            {
                sum += value;
            }
        }

        // snippet: end
        return sum;
    }

    public static async Task<ulong> IncrementsVector(Stream stream)
    {
        ulong sum = 0;

        // snippet: Increments.Vector
        byte[] buffer = new byte[65536];
        for (int read; (read = await stream.ReadAsync(buffer)) > 0;)
        {
            int at = 0;
            for (; at <= read - Vector<byte>.Count; at += Vector<byte>.Count)
            {
                var vector = new Vector<byte>(buffer, at);
                Vector.Widen(vector, out var low, out var high);
                sum += Vector.Sum(low + high);
            }

            for (; at < read; at++) // less than a vector
            {
                sum += buffer[at];
            }
        }

        // snippet: end
        return sum;
    }

    public static async Task<ulong> BytesOneByOne(Stream stream)
    {
        ulong sum = 0;

        // snippet: MillraceBytes.AwaitForEach
        await foreach (byte value in stream.ReadBytesAsync())
        {
            sum += value;
        }

        // snippet: end
        return sum;
    }

    public static async Task<ulong> BytesAsSpans(Stream stream)
    {
        ulong sum = 0;

        // snippet: MillraceBytes.Span
        await stream.ForEachSegmentAsync(segment =>
        {
            foreach (byte value in segment)
            {
                sum += value;
            }
        });

        // snippet: end
        return sum;
    }

    public static async Task<ulong> BytesAsVectors(Stream stream)
    {
        ulong sum = 0;

        // snippet: MillraceBytes.Vector
        await stream.ForEachSegmentAsync(segment =>
        {
            int width = Vector<byte>.Count;
            for (; segment.Length >= width; segment = segment[width..])
            {
                Vector.Widen(new Vector<byte>(segment), out var low, out var high);
                sum += Vector.Sum(low + high);
            }

            foreach (byte value in segment) // less than a vector
            {
                sum += value;
            }
        });

        // snippet: end
        return sum;
    }

    public static async Task<decimal> Lines(Stream stream)
    {
        decimal sum = 0;

        // snippet: MillraceLines.Lines
        await foreach (ReadOnlyMemory<byte> line in stream.ReadLinesAsync())
        {
            int last = line.Span.LastIndexOf((byte)',') + 1;
            if (Utf8Parser.TryParse(line.Span[last..], out decimal fare, out _))
            {
                sum += fare;
            }
        }

        // snippet: end
        return sum;
    }
}
