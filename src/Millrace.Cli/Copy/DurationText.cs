using System.Globalization;

namespace Millrace.Cli.Copy;

/// <summary>How long something took, for a person.</summary>
internal static class DurationText
{
    /// <summary>For example "12.5 ms", "3.1 s" or "4.0 min".</summary>
    public static string Of(double seconds) => seconds switch
    {
        < 1 => (seconds * 1000).ToString("0.#", CultureInfo.InvariantCulture) + " ms",
        < 180 => seconds.ToString("0.0", CultureInfo.InvariantCulture) + " s",
        _ => (seconds / 60).ToString("0.0", CultureInfo.InvariantCulture) + " min",
    };
}
