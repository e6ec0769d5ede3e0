namespace Millrace.Lab.Meters;

/// <summary>
/// The largest resident memory of the process since it was last reset, as the kernel keeps it: not sampled, so that no
/// peak is missed. proc_pid_clear_refs(5), proc_pid_status(5).
/// </summary>
[SupportedOSPlatform("linux")]
internal static class PeakMemory
{
    public const string Source = "VmHWM of /proc/self/status, reset through /proc/self/clear_refs";
    private const string Self = "self";
    private const string ResetPeak = "5";

    /// <summary>Resets the peak to the current resident memory.</summary>
    /// <param name="process">The process's id; null for this one. Likewise for the others.</param>
    /// <exception cref="LabException">The system does not let this process do that.</exception>
    public static void Reset(int? process = null)
    {
        string file = FileOf(process, "clear_refs");
        try
        {
            File.WriteAllText(file, ResetPeak);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"{file} cannot be written: {exception.Message}", exception);
        }
    }

    public static long ReadPeak(int? process = null) => Read(process, "VmHWM:");

    public static long ReadResident(int? process = null) => Read(process, "VmRSS:");

    private static string FileOf(int? process, string name) =>
        string.Create(CultureInfo.InvariantCulture, $"/proc/{process?.ToString(CultureInfo.InvariantCulture) ?? Self}/{name}");

    private static long Read(int? process, string field)
    {
        string file = FileOf(process, "status");
        foreach (string line in File.ReadLines(file))
        {
            if (line.StartsWith(field, StringComparison.Ordinal))
            {
                // "VmHWM:     12345 kB", which are 1,024 bytes each.
                string number = line[field.Length..].Replace("kB", "", StringComparison.Ordinal).Trim();
                return long.Parse(number, CultureInfo.InvariantCulture) * ByteSize.KiB;
            }
        }

        throw new LabException($"{file} has no {field}");
    }
}
