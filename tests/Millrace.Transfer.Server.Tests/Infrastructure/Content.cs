using System.Text;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Bytes for tests: the same for the same length, and hardly two places alike.</summary>
internal static class Content
{
    public static byte[] Of(int length)
    {
        byte[] bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        return bytes;
    }

    /// <summary>Text that becomes smaller.</summary>
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
