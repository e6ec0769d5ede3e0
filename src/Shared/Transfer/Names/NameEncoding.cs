using System.Buffers;
using System.Text;

namespace Millrace.Transfer;

/// <summary>Names in URLs: percent-encoding of UTF-8 (RFC 3986, section 2.1), decoded exactly once and strictly.</summary>
internal static class NameEncoding
{
    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public static string Encode(string value) => Uri.EscapeDataString(value).Replace("%2F", "/", StringComparison.Ordinal);

    /// <summary>
    /// Decodes once. A slash that was encoded is refused: its sender did not mean a separator, and a program that checks
    /// paths before this one did not see one. Only in the parameter of a field, where none can stand, it means a separator.
    /// </summary>
    public static bool TryDecode(ReadOnlySpan<char> path, out string text, out NameFault fault, bool isParameter = false)
    {
        text = "";
        byte[] bytes = new byte[Strict.GetMaxByteCount(path.Length)];
        int count = 0;
        try
        {
            while (!path.IsEmpty)
            {
                int plain = path.IndexOf('%') is var escape and >= 0 ? escape : path.Length;
                count += Strict.GetBytes(path[..plain], bytes.AsSpan(count));
                path = path[plain..];
                if (path.IsEmpty)
                {
                    break;
                }

                if (path.Length < 3
                    || Convert.FromHexString(path.Slice(1, 2), bytes.AsSpan(count), out _, out _) != OperationStatus.Done
                    || (bytes[count] == (byte)'/' && !isParameter))
                {
                    fault = NameFault.ForbiddenCharacter;
                    return false;
                }

                count++;
                path = path[3..];
            }

            text = Strict.GetString(bytes, 0, count);
        }
        catch (Exception exception) when (exception is EncoderFallbackException or DecoderFallbackException)
        {
            fault = NameFault.NotUnicode;
            return false;
        }

        fault = NameFault.None;
        return true;
    }

    /// <summary>
    /// Whether a part becomes <c>.</c> or <c>..</c>, or gets a separator beside dots, when it is decoded once more,
    /// as a proxy or a careless program after this one may do.
    /// </summary>
    public static bool DecodesToDots(ReadOnlySpan<char> part)
    {
        if (!part.Contains('%'))
        {
            return false;
        }

        string text = part.ToString();
        for (int round = 0; round < 4 && text.Contains('%'); round++)
        {
            string decoded = Uri.UnescapeDataString(text);
            if (decoded == text)
            {
                break;
            }

            text = decoded;
            foreach (string piece in text.Split('/', '\\'))
            {
                if (piece is "." or "..")
                {
                    return true;
                }
            }
        }

        return false;
    }

    /// <summary>For messages: nothing that a terminal or a log would obey, and not without end.</summary>
    public static string Printable(string text)
    {
        const int longest = 200;
        var shown = new StringBuilder(Math.Min(text.Length, longest) + 8);
        foreach (char c in text.AsSpan(0, Math.Min(text.Length, longest)))
        {
            shown.Append(char.IsSurrogate(c) ? '\uFFFD' : c);
        }

        return PrintableText.Clean(text.Length > longest ? shown.Append('…').ToString() : shown.ToString());
    }
}
