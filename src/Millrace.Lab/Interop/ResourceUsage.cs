using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Millrace.Lab.Interop;

/// <summary>getrusage(2) of the process, all threads together.</summary>
[SupportedOSPlatform("linux")]
internal static unsafe partial class ResourceUsage
{
    private const int WholeProcess = 0;

    /// <summary>Reads it. Cannot fail with these arguments.</summary>
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
