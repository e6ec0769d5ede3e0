using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Millrace.Lab.Interop;

/// <summary>ppoll(2): waits for sockets, or until a moment, to the microsecond. Linux only.</summary>
/// <remarks>Timers and Socket.Select of .NET count in milliseconds, and half of a round trip of 1 ms is less.</remarks>
[SupportedOSPlatform("linux")]
internal static unsafe partial class LinuxPoll
{
    public const short In = 0x001;
    public const short Out = 0x004;

    private const long NanosecondsPerSecond = 1_000_000_000;

    /// <summary>Waits until one of them is ready or the time is up. A signal ends it early, as if the time were up.</summary>
    /// <param name="ticks">For how long at most, in ticks of <see cref="Stopwatch"/>.</param>
    public static void Wait(Span<Entry> entries, long ticks)
    {
        var time = new Time
        {
            Seconds = (nint)(ticks / Stopwatch.Frequency),
            Nanoseconds = (nint)(ticks % Stopwatch.Frequency * NanosecondsPerSecond / Stopwatch.Frequency),
        };
        fixed (Entry* first = entries)
        {
            if (Poll(first, (nuint)entries.Length, &time, signals: null) < 0)
            {
                entries.Clear();
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "ppoll", SetLastError = true)]
    private static partial int Poll(Entry* entries, nuint count, Time* time, void* signals);

    [StructLayout(LayoutKind.Sequential)]
    public struct Entry
    {
        public int Descriptor;

        public short Events;

        /// <summary>What there is: also an error or a hang-up, which reading or writing then tells.</summary>
        public short Ready;
    }

    /// <summary>struct timespec of 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Time
    {
        public nint Seconds;
        public nint Nanoseconds;
    }
}
