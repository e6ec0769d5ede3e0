using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Millrace.Cli.Transfer;

/// <summary>Times as people type them: <c>500ms</c>, <c>30</c> and <c>30s</c>, <c>2m</c>, <c>1h</c>.</summary>
internal static class DurationArgument
{
    /// <summary>Reads one; more than nothing and at most a day.</summary>
    public static bool TryParse([NotNullWhen(true)] string? text, out TimeSpan time)
    {
        time = default;
        string number = (text ?? "").TrimEnd('h', 'm', 's');
        string unit = (text ?? "")[number.Length..];
        double seconds = unit switch
        {
            "ms" => 0.001,
            "" or "s" => 1,
            "m" => 60,
            "h" => 3600,
            _ => 0,
        };
        if (seconds == 0
            || !double.TryParse(number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double value)
            || value * seconds is not (> 0 and <= 86_400))
        {
            return false;
        }

        time = TimeSpan.FromSeconds(value * seconds);
        return true;
    }
}
