namespace Millrace.Lab.Suites.Writes;

/// <summary>What all methods write: chunks of one block of random bytes, each from another place of it.</summary>
/// <remarks>
/// The block stays in a processor's cache, so that what is measured is writing and not fetching what is written. Neighbouring
/// chunks differ, so that one written twice, or in another's place, shows.
/// </remarks>
internal static class WrittenContent
{
    /// <summary>The longest chunk, in bytes.</summary>
    public const int LongestChunk = 1024 * 1024;

    // A prime number of places: chunks that are a power of two apart never come from the same one.
    private const uint Places = 1021;

    // A cache line: copying begins at the same alignment wherever it begins.
    private const int Distance = 64;

    private static readonly byte[] Block = MakeBlock();

    /// <summary>The chunk with an index, from 0.</summary>
    public static ReadOnlyMemory<byte> Chunk(uint index, int length) =>
        Block.AsMemory((int)(index % Places) * Distance, length);

    /// <summary>All of a file in one array.</summary>
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

    /// <summary>Reads a file back and compares every byte.</summary>
    /// <exception cref="WrongResultException">It is missing, or not what was to be written in such chunks.</exception>
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
