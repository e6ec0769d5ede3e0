using System.IO.Pipelines;

namespace Millrace.Transfer.Tests.Deltas;

/// <summary>Makes deltas of arrays, and applies them.</summary>
internal static class DeltaFile
{
    public static async Task<BlockSums> SumsOf(byte[] content) =>
        await BlockSums.ComputeAsync(PipeReader.Create(new MemoryStream(content)), content.Length, CancellationToken.None);

    public static async Task<DeltaPlan> PlanOf(byte[] content, BlockSums sums, int readBytes = int.MaxValue)
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("new", content);
        using FilePipeReader reader = FilePipe.OpenRead(path, new FileReadOptions { BufferSize = readBytes == int.MaxValue ? 0 : readBytes });
        return await DeltaPlan.MakeAsync(reader, content.Length, sums, null, CancellationToken.None);
    }

    /// <summary>The instructions from an offset on, in requests of at most so many bytes.</summary>
    public static IEnumerable<(DeltaEncoding Encoding, byte[] Bytes)> Encode(
        DeltaPlan plan, byte[] content, long from = 0, long maxBytes = long.MaxValue, long maxLength = long.MaxValue)
    {
        while (from < plan.Length)
        {
            var encoding = new DeltaEncoding(plan, from, maxBytes, maxLength);
            Assert.True(encoding.End > from);
            var stream = new MemoryStream();
            stream.WriteByte(DeltaFormat.Version);
            byte[] head = new byte[DeltaFormat.MaxInstructionBytes];
            long expected = 0;
            foreach (DeltaPart part in encoding.Parts)
            {
                if (part.IsLiteral)
                {
                    stream.Write(head, 0, DeltaFormat.WriteLiteral(head, part.Length));
                    stream.Write(content, (int)part.Offset, (int)part.Length);
                }
                else if (!part.IsCopy)
                {
                    stream.Write(head, 0, DeltaFormat.WriteZeros(head, part.Length));
                }
                else
                {
                    stream.Write(head, 0, DeltaFormat.WriteCopy(head, part.Length, part.Base - expected));
                    expected = part.Base + part.Length;
                }
            }

            Assert.Equal(encoding.Bytes, stream.Length);
            yield return (encoding, stream.ToArray());
            from = encoding.End;
        }
    }

    /// <summary>Applies a delta that is read in pieces of so many bytes.</summary>
    public static byte[] Apply(byte[] delta, byte[] old, long room, int pieceBytes = int.MaxValue)
    {
        var parser = new DeltaParser(old.Length, room);
        var made = new MemoryStream();
        for (int at = 0; at < delta.Length;)
        {
            int piece = Math.Min(pieceBytes, delta.Length - at);
            ReadOnlySpan<byte> bytes = delta.AsSpan(at, piece);
            while (parser.Next(ref bytes) is var token and not DeltaToken.More)
            {
                if (token == DeltaToken.Literal)
                {
                    made.Write(bytes[..parser.Literal]);
                    bytes = bytes[parser.Literal..];
                }
                else if (token == DeltaToken.Zeros)
                {
                    made.Write(new byte[parser.Length]);
                }
                else
                {
                    made.Write(old.AsSpan((int)parser.Offset, (int)parser.Length));
                }
            }

            at += piece;
        }

        Assert.True(parser.IsBetween);
        return made.ToArray();
    }
}
