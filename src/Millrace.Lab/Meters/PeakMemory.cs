using System.Globalization;
using System.Runtime.Versioning;

namespace Millrace.Lab.Meters;

/// <summary>
/// The largest resident memory of the process since it was last reset, as the kernel keeps it: not sampled, so that no
/// peak is missed. proc_pid_clear_refs(5), proc_pid_status(5).
/// </summary>
[SupportedOSPlatform("linux")]
internal static class PeakMemory
{
    /// <summary>Where the number comes from.</summary>
    public const string Source = "VmHWM of /proc/self/status, reset through /proc/self/clear_refs";

    private const string ResetFile = "/proc/self/clear_refs";
    private const string StatusFile = "/proc/self/status";
    private const string ResetPeak = "5";

    /// <summary>Resets the peak to what is resident now.</summary>
    /// <exception cref="LabException">The system does not let this process do that.</exception>
    public static void Reset()
    {
        try
        {
            File.WriteAllText(ResetFile, ResetPeak);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"{ResetFile} cannot be written: {exception.Message}", exception);
        }
    }

    /// <summary>The peak since then, bytes.</summary>
    public static long ReadPeak() => Read("VmHWM:");

    /// <summary>What is resident now, bytes.</summary>
    public static long ReadResident() => Read("VmRSS:");

    private static long Read(string field)
    {
        foreach (string line in File.ReadLines(StatusFile))
        {
            if (line.StartsWith(field, StringComparison.Ordinal))
            {
                // "VmHWM:     12345 kB", which are 1,024 bytes each.
                string number = line[field.Length..].Replace("kB", "", StringComparison.Ordinal).Trim();
                return long.Parse(number, CultureInfo.InvariantCulture) * ByteSize.KiB;
            }
        }

        throw new LabException($"{StatusFile} has no {field}");
    }
}
