using System.Buffers;
using System.Globalization;

namespace Millrace.Transfer;

/// <summary>Text of others as a person may see it: nothing that a terminal obeys, or shows elsewhere than where it stands.</summary>
internal static class PrintableText
{
    private const char Replacement = '\uFFFD';

    /// <summary>
    /// Controls, separators of lines, and the marks that change the direction of text (Unicode Standard Annex 9, section 2):
    /// with these <c>gpj.exe</c> looks like <c>exe.jpg</c>.
    /// </summary>
    private static readonly SearchValues<char> Hidden = SearchValues.Create(
        [.. Enumerable.Range(0, 0xA0).Select(static code => (char)code).Where(char.IsControl),
            '\u061C', '\u200E', '\u200F', '\u2028', '\u2029', '\u202A', '\u202B', '\u202C', '\u202D', '\u202E',
            '\u2066', '\u2067', '\u2068', '\u2069']);

    public static bool IsClean(ReadOnlySpan<char> text) => !text.ContainsAny(Hidden);

    /// <summary>The text with a replacement character for each of them; the same string if it has none.</summary>
    public static string Clean(string text)
    {
        if (IsClean(text))
        {
            return text;
        }

        return string.Create(text.Length, text, static (cleaned, text) =>
        {
            text.CopyTo(cleaned);
            cleaned.ReplaceAny(Hidden, Replacement);
        });
    }

    /// <summary>The same JSON with all of them escaped: they are nowhere but in its strings.</summary>
    public static string Escape(string json)
    {
        if (IsClean(json))
        {
            return json;
        }

        return string.Concat(json.Select(static c => Hidden.Contains(c) && c is not ('\n' or '\r')
            ? string.Create(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}")
            : c.ToString()));
    }
}
