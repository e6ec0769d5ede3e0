using System.Buffers.Binary;

namespace Millrace.Testing;

/// <summary>
/// The bytes of every test file. A byte depends on its offset alone and hardly two neighbouring words are alike, so
/// that bytes from the wrong place, twice or left out, are seen.
/// </summary>
public static class TestContent
{
    /// <summary>The longest content, in bytes: several windows and blocks, and an odd rest.</summary>
    public const int MaxLength = 16 * 1024 * 1024;

    private static readonly byte[] Master = Generate(MaxLength);

    /// <summary>The first bytes of the content.</summary>
    public static ReadOnlyMemory<byte> Of(int length) => Master.AsMemory(0, length);

    /// <summary>The content between two offsets.</summary>
    public static ReadOnlyMemory<byte> Between(long start, long end) => Master.AsMemory((int)start, (int)(end - start));

    /// <summary>Content of the same length in which every byte differs.</summary>
    public static byte[] Inverted(int length)
    {
        byte[] inverted = Master[..length];
        for (int i = 0; i < inverted.Length; i++)
        {
            inverted[i] = (byte)~inverted[i];
        }

        return inverted;
    }

    private static byte[] Generate(int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i += sizeof(ulong))
        {
            // The finaliser of SplitMix64: one bit changed in the offset changes half of the word.
            ulong word = (ulong)i + 0x9E3779B97F4A7C15;
            word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
            word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
            BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(i), word ^ (word >> 31));
        }

        return bytes;
    }
}
