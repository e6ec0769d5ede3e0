using System.Globalization;

namespace Millrace.Tests.Child;

/// <summary>
/// The system calls of this process so far, in which only the counted work runs.
/// https://man7.org/linux/man-pages/man5/proc_pid_io.5.html
/// </summary>
internal static class ProcessCalls
{
    /// <summary>How often something is done: the first times also read code, and one without anything else is enough.</summary>
    public const int Rounds = 5;

    /// <summary>read(2) and its like.</summary>
    public static long Reads() => Of("syscr: ");

    /// <summary>write(2) and its like.</summary>
    public static long Writes() => Of("syscw: ");

    private static long Of(string field) => File
        .ReadLines("/proc/self/io")
        .Where(line => line.StartsWith(field, StringComparison.Ordinal))
        .Select(line => long.Parse(line.AsSpan(field.Length), CultureInfo.InvariantCulture))
        .Single();
}
