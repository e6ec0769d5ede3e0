using System.Text;

namespace Millrace.Tests.Infrastructure;

/// <summary>Text as bytes and back: one character a byte.</summary>
internal static class Text
{
    public static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

    public static string Of(ReadOnlySpan<byte> bytes) => Encoding.Latin1.GetString(bytes);
}
