using System.Globalization;

namespace Millrace.Cli;

/// <summary>Numbers of bytes for a person, rounded.</summary>
internal static class SizeText
{
    private static readonly string[] Units = ["B", "KiB", "MiB", "GiB", "TiB"];

    /// <summary>For example "512 B" or "1.2 GiB".</summary>
    public static string Of(long bytes)
    {
        double number = bytes;
        int unit = 0;
        while (number >= 1024 && unit < Units.Length - 1)
        {
            number /= 1024;
            unit++;
        }

        return $"{number.ToString(number < 10 ? "0.#" : "0", CultureInfo.InvariantCulture)} {Units[unit]}";
    }
}

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
