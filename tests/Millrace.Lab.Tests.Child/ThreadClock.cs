using System.Runtime.InteropServices;

namespace Millrace.Lab.Tests.Child;

/// <summary>clock_gettime(2) with CLOCK_THREAD_CPUTIME_ID: the processor time of the calling thread. Linux only.</summary>
internal static unsafe partial class ThreadClock
{
    private const int ThreadProcessorTime = 3;
    private const long NanosecondsPerSecond = 1_000_000_000;

    public static long Nanoseconds()
    {
        Time time;
        _ = GetTime(ThreadProcessorTime, &time);
        return (time.Seconds * NanosecondsPerSecond) + time.Nanoseconds;
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int GetTime(int clock, Time* time);

    [StructLayout(LayoutKind.Sequential)]
    private struct Time
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
