using System.Runtime.InteropServices;
using System.Text;

namespace Millrace.Tests.Docs;

/// <summary>The code samples of docs/sequences.md, compiled. <see cref="ReadmeTests"/> compares them with the text there.</summary>
internal static class SequencesSample
{
    // sample: begin
    public static async Task<long> SumAsync(string path, CancellationToken cancellationToken = default)
    {
        await using FilePipeReader reader = FilePipe.OpenRead(path);
        long sum = 0;
        await foreach (byte value in reader.ReadBytesAsync(cancellationToken))
        {
            sum = checked(sum + value);
        }

        return sum;
    }

    // sample: end

    // sample: begin
    public static async Task<long> CountAsync(string path, byte wanted)
    {
        await using FilePipeReader reader = FilePipe.OpenRead(path);
        long count = 0;
        await reader.ForEachSegmentAsync(span => count += span.Count(wanted));
        return count;
    }

    // sample: end

    // sample: begin
    public static async Task<(List<string> Header, int Body)> ReadMessageAsync(PipeReader reader)
    {
        var header = new List<string>();
        await foreach (ReadOnlyMemory<byte> line in reader.ReadLinesAsync(maxLength: 8 * 1024))
        {
            if (line.IsEmpty)
            {
                break;
            }

            header.Add(Encoding.UTF8.GetString(line.Span));
        }

        // The reader is after the empty line: what follows is the body.
        int body = 0;
        await foreach (ReadOnlyMemory<byte> segment in reader.ReadSegmentsAsync())
        {
            body += segment.Length;
        }

        return (header, body);
    }

    // sample: end

    // sample: begin
    [StructLayout(LayoutKind.Sequential, Pack = 1)]
    internal readonly record struct Trade(long Time, int Price, ushort Amount);

    public static async Task<long> VolumeAsync(Stream stream)
    {
        long volume = 0;
        await foreach (Trade trade in stream.ReadRecordsAsync<Trade>(ByteOrder.BigEndian))
        {
            volume += (long)trade.Price * trade.Amount;
        }

        return volume;
    }

    // sample: end
}
