using System.Globalization;

namespace Millrace.Cli.Copy;

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
