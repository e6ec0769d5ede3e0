namespace Millrace.Lab.Interop;

/// <summary>clock_nanosleep(2): sleeps until a moment, to the microsecond. Linux only.</summary>
/// <remarks>The timers of .NET count in milliseconds, and half of a round trip of 1 ms is less.</remarks>
[SupportedOSPlatform("linux")]
internal static unsafe partial class LinuxClock
{
    // CLOCK_MONOTONIC, which Stopwatch reads, and TIMER_ABSTIME.
    private const int Monotonic = 1;
    private const int Absolute = 1;
    private const int Interrupted = 4;
    private const long NanosecondsPerSecond = 1_000_000_000;

    /// <param name="timestamp">In ticks of <see cref="Stopwatch"/>.</param>
    public static void SleepUntil(long timestamp)
    {
        var time = new Time
        {
            Seconds = (nint)(timestamp / Stopwatch.Frequency),
            Nanoseconds = (nint)(timestamp % Stopwatch.Frequency * NanosecondsPerSecond / Stopwatch.Frequency),
        };
        while (Sleep(Monotonic, Absolute, &time, left: null) == Interrupted)
        {
            // A signal was handled; the moment is still to come.
        }
    }

    [LibraryImport("libc", EntryPoint = "clock_nanosleep")]
    private static partial int Sleep(int clock, int flags, Time* time, Time* left);

    /// <summary>struct timespec of 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Time
    {
        public nint Seconds;
        public nint Nanoseconds;
    }
}
