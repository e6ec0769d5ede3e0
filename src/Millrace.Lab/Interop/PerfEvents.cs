using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Lab.Interop;

/// <summary>perf_event_open(2), as far as counting a tracepoint needs it.</summary>
[SupportedOSPlatform("linux")]
internal static unsafe partial class PerfEvents
{
    private const uint TypeTracepoint = 2;
    private const ulong FlagInherit = 1 << 1;
    private const int FlagCloseOnExec = 8;

    private static readonly ByProcessor Number = new(298, 241); // __NR_perf_event_open

    /// <summary>Counts how often a thread, and every thread that it starts later, passes a tracepoint.</summary>
    /// <returns>A file to read a 64-bit count from, or an invalid one; then the error is the last P/Invoke error.</returns>
    public static SafeFileHandle Open(ulong tracepoint, int thread)
    {
        var attributes = new Attributes
        {
            Type = TypeTracepoint,
            Size = (uint)sizeof(Attributes),
            Config = tracepoint,
            Flags = FlagInherit,
        };
        nint descriptor = SystemCall(
            Number.Here, (nint)(&attributes), thread, cpu: -1, group: -1, FlagCloseOnExec);
        return new SafeFileHandle(descriptor, ownsHandle: true);
    }

    /// <summary>Whether the call's number is known for this processor.</summary>
    public static bool IsKnown => RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;

    // glibc has no wrapper for it. On the processors in IsKnown, variadic functions take such arguments in the
    // same registers as others do.
    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, nint attributes, nint process, nint cpu, nint group, nint flags);

    /// <summary>struct perf_event_attr, its first published size of 64 bytes.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 64)]
    private struct Attributes
    {
        public uint Type;
        public uint Size;
        public ulong Config;
        public ulong SamplePeriod;
        public ulong SampleType;
        public ulong ReadFormat;
        public ulong Flags;
    }
}
