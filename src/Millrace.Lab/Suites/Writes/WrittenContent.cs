using System.Buffers.Binary;

namespace Millrace.Lab.Suites.Writes;

/// <summary>What all methods write: chunks of one block of random bytes, each from another place of it.</summary>
/// <remarks>
/// The block stays in a processor's cache, so that writing is measured and not fetching the bytes. Neighbouring
/// chunks differ, so that one written twice, or in another's place, shows.
/// </remarks>
internal static class WrittenContent
{
    public const int LongestChunk = 1024 * 1024;

    // A prime number of places: chunks that are a power of two apart never come from the same one.
    private const uint Places = 1021;

    // A cache line: copying begins at the same alignment wherever it begins.
    private const int Distance = 64;

    private static readonly byte[] Block = MakeBlock();

    public static ReadOnlyMemory<byte> Chunk(uint index, int length) =>
        Block.AsMemory((int)(index % Places) * Distance, length);

    public static byte[] All(long bytes, int chunk)
    {
        byte[] all = new byte[bytes];
        uint index = 0;
        for (int at = 0; at < all.Length; at += chunk)
        {
            Chunk(index++, Math.Min(chunk, all.Length - at)).Span.CopyTo(all.AsSpan(at));
        }

        return all;
    }

    /// <exception cref="WrongResultException">It is missing, or differs from the bytes of such chunks.</exception>
    public static void Verify(string path, long bytes, int chunk)
    {
        using ReadBack file = ReadBack.Open(path, bytes);
        uint index = 0;
        for (long at = 0; at < bytes; at += chunk)
        {
            file.Expect(Chunk(index++, (int)Math.Min(chunk, bytes - at)).Span);
        }
    }

    private static byte[] MakeBlock()
    {
        byte[] block = new byte[LongestChunk + ((int)Places * Distance)];
        new Random(1).NextBytes(block);
        return block;
    }
}

/// <summary>A record that writers append: whose it is, which one it is, random bytes, and an end of line.</summary>
internal static class AppendedRecord
{
    /// <summary>Length of a record, in bytes: a line of a log.</summary>
    public const int Bytes = 100;
    private const int HeaderBytes = 2 * sizeof(int);

    /// <param name="record">Where it goes, <see cref="Bytes"/> bytes.</param>
    public static void Fill(Span<byte> record, int writer, int index)
    {
        BinaryPrimitives.WriteInt32LittleEndian(record, writer);
        BinaryPrimitives.WriteInt32LittleEndian(record[sizeof(int)..], index);
        WrittenContent.Chunk((uint)(writer + index), Bytes - HeaderBytes - 1).Span.CopyTo(record[HeaderBytes..]);
        record[^1] = (byte)'\n';
    }

    /// <summary>Reads a file back: every record of every writer, each writer's in its order, none of them torn.</summary>
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
                throw new WrongResultException(path, $"has a record {i:N0} of an unknown writer");
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
            throw new WrongResultException(path, "lacks records of some writers");
        }
    }
}

/// <summary>A file that is read back and compared.</summary>
internal sealed class ReadBack : IDisposable
{
    private const int BufferBytes = 256 * 1024;

    // One for the process: nothing of it is left for the collector to find within a measurement.
    private static readonly byte[] Buffer = new byte[BufferBytes];

    private readonly FileStream _stream;
    private readonly string _path;
    private int _start;
    private int _end;
    private long _at;

    private ReadBack(FileStream stream, string path)
    {
        _stream = stream;
        _path = path;
    }

    /// <exception cref="WrongResultException">There is none, or it has another length.</exception>
    public static ReadBack Open(string path, long bytes)
    {
        FileStream stream;
        try
        {
            stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0);
        }
        catch (FileNotFoundException)
        {
            throw new WrongResultException(path, "does not exist");
        }

        if (stream.Length == bytes)
        {
            return new ReadBack(stream, path);
        }

        long length = stream.Length;
        stream.Dispose();
        throw new WrongResultException(path, $"has {length:N0} bytes instead of {bytes:N0}");
    }

    public void Expect(ReadOnlySpan<byte> expected)
    {
        while (!expected.IsEmpty)
        {
            ReadOnlySpan<byte> next = Next(expected.Length);
            if (!next.SequenceEqual(expected[..next.Length]))
            {
                throw new WrongResultException(
                    _path, $"differs at offset {_at - next.Length + next.CommonPrefixLength(expected):N0}");
            }

            expected = expected[next.Length..];
        }
    }

    /// <summary>The next bytes, at least one and no more than asked for; valid until the next call.</summary>
    public ReadOnlySpan<byte> Next(int most)
    {
        if (_start == _end)
        {
            _start = 0;
            _end = _stream.Read(Buffer);
            if (_end == 0)
            {
                throw new WrongResultException(_path, $"ends at offset {_at:N0}");
            }
        }

        int length = Math.Min(most, _end - _start);
        ReadOnlySpan<byte> next = Buffer.AsSpan(_start, length);
        _start += length;
        _at += length;
        return next;
    }

    public void Dispose() => _stream.Dispose();
}

internal sealed class WrongResultException(string path, string what)
    : Exception($"{path} was read back and {what}. Either the method is wrong or the file was changed during the run.");
