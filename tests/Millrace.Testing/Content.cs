using System.Runtime.InteropServices;
using System.Text;

namespace Millrace.Testing;

/// <summary>Bytes for test files.</summary>
public static class Content
{
    /// <summary>Random bytes, the same for the same seed. Tests need gigabytes of them, so they are made eight at a time.</summary>
    public static byte[] Random(int length, int seed = 1)
    {
        byte[] content = new byte[length];
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(content.AsSpan());
        for (int i = 0; i < words.Length; i++)
        {
            words[i] = Word(seed, i);
        }

        for (int i = words.Length * sizeof(ulong); i < length; i++)
        {
            content[i] = (byte)Word(seed, i);
        }

        return content;
    }

    /// <summary>Random bytes that depend on the length alone.</summary>
    public static byte[] Of(int length) => Random(length, length);

    /// <summary>Text that compresses well.</summary>
    public static byte[] Text(int length)
    {
        var text = new StringBuilder(length + 32);
        for (int i = 0; text.Length < length; i++)
        {
            text.Append(i).Append(", a line of a file; ").Append(i * 31 % 97).Append('\n');
        }

        return Encoding.ASCII.GetBytes(text.ToString(0, length));
    }

    // The finaliser of SplitMix64: one bit changed in the offset changes half of the word.
    private static ulong Word(int seed, int index)
    {
        ulong word = ((ulong)(uint)seed << 32) + ((ulong)index * sizeof(ulong)) + 0x9E3779B97F4A7C15;
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
        return word ^ (word >> 31);
    }
}
