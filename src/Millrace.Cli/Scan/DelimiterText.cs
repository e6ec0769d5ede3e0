using System.Globalization;

namespace Millrace.Cli.Scan;

/// <summary>A byte as users write one.</summary>
internal static class DelimiterText
{
    /// <summary>For example <c>,</c> or <c>\t</c> or <c>0x1e</c>.</summary>
    /// <returns>False if it is none of these.</returns>
    public static bool TryParse(string text, out byte value)
    {
        value = text switch
        {
            [var one and < (char)128] => (byte)one,
            @"\n" => (byte)'\n',
            @"\r" => (byte)'\r',
            @"\t" => (byte)'\t',
            @"\0" => 0,
            @"\\" => (byte)'\\',
            _ => 0,
        };
        return value != 0
            || text is @"\0" or "\0"
            || (text.StartsWith("0x", StringComparison.OrdinalIgnoreCase)
                && byte.TryParse(text.AsSpan(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out value));
    }
}
