using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Millrace.Lab.Interop;

/// <summary>The processor time of another process, all threads together: clock_getcpuclockid(3), clock_gettime(2).</summary>
[SupportedOSPlatform("linux")]
internal static unsafe partial class ProcessClock
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    /// <summary>Reads it, in nanoseconds.</summary>
    /// <exception cref="LabException">There is no such process.</exception>
    public static long Read(int process)
    {
        int clock;
        Time time;
        return FindClock(process, &clock) == 0 && GetTime(clock, &time) == 0
            ? (time.Seconds * NanosecondsPerSecond) + time.Nanoseconds
            : throw new LabException($"The processor time of the process {process} cannot be read: it has ended.");
    }

    [LibraryImport("libc", EntryPoint = "clock_getcpuclockid")]
    private static partial int FindClock(int process, int* clock);

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int GetTime(int clock, Time* time);

    [StructLayout(LayoutKind.Sequential)]
    private struct Time
    {
        public nint Seconds;
        public nint Nanoseconds;
    }
}
