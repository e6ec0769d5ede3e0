using System.Text;

namespace Millrace.Testing;

/// <summary>Bytes for test files.</summary>
public static class Content
{
    /// <summary>Random bytes, the same for the same seed.</summary>
    public static byte[] Random(int length, int seed = 1)
    {
        byte[] content = new byte[length];
        new Random(seed).NextBytes(content);
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
}
