namespace Millrace.Lab.Interop;

/// <summary>The processor time of another process, all threads together: clock_getcpuclockid(3), clock_gettime(2).</summary>
/// <remarks>Process.TotalProcessorTime reads /proc/PID/stat, which counts in ticks of 10 ms: half of a short transfer.</remarks>
[SupportedOSPlatform("linux")]
internal static unsafe partial class ProcessClock
{
    private const long NanosecondsPerSecond = 1_000_000_000;

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

/// <summary>getrusage(2) of the process, all threads together.</summary>
[SupportedOSPlatform("linux")]
internal static unsafe partial class ResourceUsage
{
    private const int WholeProcess = 0;

    public static void Read(out Usage usage)
    {
        fixed (Usage* target = &usage)
        {
            _ = Get(WholeProcess, target);
        }
    }

    [LibraryImport("libc", EntryPoint = "getrusage")]
    private static partial int Get(int who, Usage* usage);

    /// <summary>struct rusage of 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Usage
    {
        /// <summary>Seconds in user mode, and microseconds beside them; likewise in the kernel.</summary>
        public nint UserSeconds;
        public nint UserMicroseconds;
        public nint SystemSeconds;
        public nint SystemMicroseconds;

        /// <summary>ru_maxrss, ru_ixrss, ru_idrss, ru_isrss.</summary>
        private readonly Four _sizes;

        /// <summary>ru_minflt and ru_majflt.</summary>
        public nint MinorFaults;
        public nint MajorFaults;

        /// <summary>ru_nswap, ru_inblock, ru_oublock, ru_msgsnd, and ru_msgrcv, ru_nsignals.</summary>
        private readonly Four _traffic;
        private readonly nint _received;
        private readonly nint _signals;

        /// <summary>ru_nvcsw and ru_nivcsw.</summary>
        public nint VoluntarySwitches;
        public nint InvoluntarySwitches;
    }

    [System.Runtime.CompilerServices.InlineArray(4)]
    private struct Four
    {
        private nint _first;
    }
}

[SupportedOSPlatform("linux")]
internal static partial class LinuxMemory
{
    /// <summary>Gives back what malloc keeps, where the C library has such a call: glibc's malloc_trim(3); musl has none.</summary>
    public static void Trim()
    {
        try
        {
            _ = TrimHeap(keep: 0);
        }
        catch (EntryPointNotFoundException)
        {
            // Then there is nothing to give back either.
        }
    }

    [LibraryImport("libc", EntryPoint = "malloc_trim")]
    private static partial int TrimHeap(nuint keep);
}
