using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Millrace.Cli.Token;

/// <summary>How long something is valid, as people type it: <c>90s</c>, <c>15m</c>, <c>12h</c>, <c>30d</c>, <c>52w</c>.</summary>
internal static class LifetimeArgument
{
    // A century: what is meant to last longer has no end.
    private const double MaxSeconds = 100.0 * 366 * 86_400;

    /// <summary>For messages.</summary>
    public const string Examples = "90s, 15m, 12h, 30d or 52w";

    /// <summary>Reads one; 0 or more.</summary>
    public static bool TryParse([NotNullWhen(true)] string? text, out TimeSpan time)
    {
        time = default;
        if (string.IsNullOrEmpty(text))
        {
            return false;
        }

        double unit = text[^1] switch
        {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            'w' => 604_800,
            _ => 0,
        };

        // A bare number is in seconds.
        string number = unit == 0 ? text : text[..^1];
        double seconds = unit == 0 ? 1 : unit;
        if (!double.TryParse(number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double value)
            || value * seconds is not (>= 0 and <= MaxSeconds))
        {
            return false;
        }

        time = TimeSpan.FromSeconds(value * seconds);
        return true;
    }
}
