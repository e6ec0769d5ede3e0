using System.Buffers.Binary;

namespace Millrace.Lab.Suites.Writes;

/// <summary>A record that writers append: whose it is, which one it is, random bytes, and an end of line.</summary>
internal static class AppendedRecord
{
    /// <summary>Length of a record, in bytes: a line of a log.</summary>
    public const int Bytes = 100;

    private const int HeaderBytes = 2 * sizeof(int);

    /// <summary>Makes a record.</summary>
    /// <param name="record">Where it goes, <see cref="Bytes"/> bytes.</param>
    /// <param name="writer">Which writer, from 0.</param>
    /// <param name="index">Which one of the writer's records, from 0.</param>
    public static void Fill(Span<byte> record, int writer, int index)
    {
        BinaryPrimitives.WriteInt32LittleEndian(record, writer);
        BinaryPrimitives.WriteInt32LittleEndian(record[sizeof(int)..], index);
        WrittenContent.Chunk((uint)(writer + index), Bytes - HeaderBytes - 1).Span.CopyTo(record[HeaderBytes..]);
        record[^1] = (byte)'\n';
    }

    /// <summary>Reads a file back: every record of every writer, each writer's in its order, none of them torn.</summary>
    /// <exception cref="WrongResultException">It is not so.</exception>
    public static void Verify(string path, int writers, int records)
    {
        using ReadBack file = ReadBack.Open(path, (long)records * Bytes);
        int[] next = new int[writers];
        Span<byte> found = stackalloc byte[Bytes];
        Span<byte> expected = stackalloc byte[Bytes];
        for (int i = 0; i < records; i++)
        {
            for (Span<byte> left = found; !left.IsEmpty;)
            {
                ReadOnlySpan<byte> piece = file.Next(left.Length);
                piece.CopyTo(left);
                left = left[piece.Length..];
            }

            int writer = BinaryPrimitives.ReadInt32LittleEndian(found);
            if ((uint)writer >= (uint)writers)
            {
                throw new WrongResultException(path, $"has a record {i:N0} of a writer that there is not");
            }

            Fill(expected, writer, next[writer]++);
            if (!found.SequenceEqual(expected))
            {
                throw new WrongResultException(
                    path, $"has a record {i:N0} that is not record {next[writer] - 1:N0} of writer {writer}");
            }
        }

        if (Array.Exists(next, count => count != records / writers))
        {
            throw new WrongResultException(path, "has not all records of every writer");
        }
    }
}
