using System.Buffers;
using System.Text;

namespace Millrace.Transfer;

/// <summary>Names in URLs: percent-encoding of UTF-8 (RFC 3986, section 2.1), decoded exactly once and strictly.</summary>
internal static class NameEncoding
{
    private static readonly SearchValues<char> Unreserved =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/");

    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public static string Encode(string value)
    {
        if (!value.AsSpan().ContainsAnyExcept(Unreserved))
        {
            return value;
        }

        var text = new StringBuilder(value.Length + 16);
        Span<byte> bytes = stackalloc byte[4];
        foreach (Rune rune in value.EnumerateRunes())
        {
            if (rune.IsAscii && Unreserved.Contains((char)rune.Value))
            {
                text.Append((char)rune.Value);
                continue;
            }

            int length = rune.EncodeToUtf8(bytes);
            foreach (byte b in bytes[..length])
            {
                text.Append('%').Append(b.ToString("X2"));
            }
        }

        return text.ToString();
    }

    /// <summary>
    /// Decodes once. A slash that was encoded is refused: whoever encoded it did not mean a separator, and whoever checks
    /// paths before us did not see one.
    /// </summary>
    public static bool TryDecode(ReadOnlySpan<char> path, out string text, out NameFault fault)
    {
        text = "";
        fault = NameFault.NotUnicode;
        byte[] bytes = new byte[Strict.GetMaxByteCount(path.Length)];
        int count = 0;
        for (int i = 0; i < path.Length; i++)
        {
            if (path[i] != '%')
            {
                if (char.IsHighSurrogate(path[i]) && i + 1 < path.Length && char.IsLowSurrogate(path[i + 1]))
                {
                    count += Strict.GetBytes(path.Slice(i++, 2), bytes.AsSpan(count));
                    continue;
                }

                if (char.IsSurrogate(path[i]))
                {
                    return false;
                }

                count += Strict.GetBytes(path.Slice(i, 1), bytes.AsSpan(count));
                continue;
            }

            if (i + 2 >= path.Length || !TryHex(path[i + 1], path[i + 2], out byte value))
            {
                fault = NameFault.ForbiddenCharacter;
                return false;
            }

            if (value == (byte)'/')
            {
                fault = NameFault.ForbiddenCharacter;
                return false;
            }

            bytes[count++] = value;
            i += 2;
        }

        try
        {
            text = Strict.GetString(bytes, 0, count);
        }
        catch (DecoderFallbackException)
        {
            return false;
        }

        fault = NameFault.None;
        return true;
    }

    /// <summary>
    /// Whether a part becomes <c>.</c> or <c>..</c>, or gets a separator beside dots, when somebody decodes it once more,
    /// as a proxy or a careless program behind us may do.
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
            shown.Append(char.IsControl(c) || char.IsSurrogate(c) ? '\uFFFD' : c);
        }

        return text.Length > longest ? shown.Append('…').ToString() : shown.ToString();
    }

    private static bool TryHex(char high, char low, out byte value)
    {
        value = 0;
        if (!char.IsAsciiHexDigit(high) || !char.IsAsciiHexDigit(low))
        {
            return false;
        }

        value = (byte)((Convert.ToInt32(high.ToString(), 16) << 4) | Convert.ToInt32(low.ToString(), 16));
        return true;
    }
}
