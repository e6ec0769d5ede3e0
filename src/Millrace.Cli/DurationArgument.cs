using System.CommandLine;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Millrace.Cli;

/// <summary>Durations as people type them: <c>500ms</c>, <c>30</c> and <c>30s</c>, <c>15m</c>, <c>12h</c>, <c>30d</c>, <c>52w</c>.</summary>
internal static class DurationArgument
{
    public const string Examples = "90s, 15m, 12h, 30d or 52w";

    // A century: a longer duration is meant to be endless.
    private const double MaxSeconds = 100.0 * 366 * 86_400;

    public static string Problem(string? text, string examples = Examples) => $"'{text}' is not a valid duration; use {examples}.";

    /// <summary>Creates an option that takes a duration; null without one.</summary>
    public static Option<TimeSpan?> Option(string name, string description) =>
        ParsedOption.Create<TimeSpan?>(name, "TIME", description, static (text, out time) =>
        {
            bool isTime = TryParse(text, out TimeSpan parsed);
            time = parsed;
            return isTime ? null : Problem(text);
        });

    /// <summary>Creates an option that takes how long to wait for an answer; null without one.</summary>
    public static Option<TimeSpan?> WaitOption(string name, string description, string examples) =>
        ParsedOption.Create<TimeSpan?>(name, "TIME", description, (text, out time) =>
        {
            bool isWait = TryParseWait(text, out TimeSpan parsed);
            time = parsed;
            return isWait ? null : Problem(text, $"{examples}, at most a day");
        });

    /// <summary>Parses a duration of more than 0, to a day.</summary>
    public static bool TryParseWait(string text, out TimeSpan time) =>
        TryParse(text, out time) && time > TimeSpan.Zero && time <= TimeSpan.FromDays(1);

    /// <summary>Parses a duration from 0 to a century.</summary>
    public static bool TryParse([NotNullWhen(true)] string? text, out TimeSpan time)
    {
        time = default;
        string number = (text ?? "").TrimEnd('w', 'd', 'h', 'm', 's');
        double unit = (text ?? "")[number.Length..] switch
        {
            "ms" => 0.001,
            "" or "s" => 1,
            "m" => 60,
            "h" => 3600,
            "d" => 86_400,
            "w" => 604_800,
            _ => double.NaN,
        };
        if (!double.TryParse(number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double value)
            || value * unit is not (>= 0 and <= MaxSeconds))
        {
            return false;
        }

        time = TimeSpan.FromSeconds(value * unit);
        return true;
    }
}
