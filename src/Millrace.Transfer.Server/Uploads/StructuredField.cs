using System.Globalization;

namespace Millrace.Transfer.Server;

/// <summary>The two kinds of structured fields (RFC 9651) that the draft's uploads have. What is neither counts as absent.</summary>
internal static class StructuredField
{
    /// <summary>RFC 9651, section 3.3.1: at most 15 digits, so that every language can hold it.</summary>
    private const int MaxDigits = 15;

    /// <summary>Reads <c>?0</c> or <c>?1</c>.</summary>
    public static bool TryParseBoolean(ReadOnlySpan<char> field, out bool value)
    {
        value = false;
        ReadOnlySpan<char> text = field.Trim(' ');
        if (text.Length < 2 || text[0] != '?' || text[1] is not ('0' or '1') || !IsParameters(text[2..]))
        {
            return false;
        }

        value = text[1] == '1';
        return true;
    }

    /// <summary>Reads an integer that is not negative.</summary>
    public static bool TryParseCount(ReadOnlySpan<char> field, out long value)
    {
        value = 0;
        ReadOnlySpan<char> text = field.Trim(' ');
        int digits = text.IndexOfAnyExceptInRange('0', '9');
        digits = digits < 0 ? text.Length : digits;
        return digits is > 0 and <= MaxDigits
            && IsParameters(text[digits..])
            && long.TryParse(text[..digits], NumberStyles.None, CultureInfo.InvariantCulture, out value);
    }

    /// <summary>Parameters mean nothing to these fields; they only must not break them.</summary>
    private static bool IsParameters(ReadOnlySpan<char> rest) =>
        rest.IsEmpty || (rest[0] == ';' && rest.Length > 1 && !rest.ContainsAnyExceptInRange(' ', '~'));
}
