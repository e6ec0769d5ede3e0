using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// When an open file was last read and written, to the nanosecond, which the framework's times are not.
/// https://man7.org/linux/man-pages/man3/futimens.3.html
/// </summary>
internal readonly unsafe partial record struct FileTimes
{
    private readonly Time _access;
    private readonly Time _modification;

    private FileTimes(in StatX raw)
    {
        _access = new Time { Seconds = raw.AccessSeconds, Nanoseconds = raw.AccessNanoseconds };
        _modification = new Time { Seconds = raw.ModifiedSeconds, Nanoseconds = raw.ModifiedNanoseconds };
    }

    public static int TryGet(SafeFileHandle file, out FileTimes times)
    {
        int error = StatX.TryGet(file, out StatX raw);
        times = new FileTimes(raw);
        return error;
    }

    public int SetOn(SafeFileHandle file)
    {
        Time* times = stackalloc Time[2] { _access, _modification };
        return FUTimeNs(file, times) == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    [LibraryImport("libc", EntryPoint = "futimens", SetLastError = true)]
    private static partial int FUTimeNs(SafeFileHandle file, Time* times);

    /// <summary>struct timespec of 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private record struct Time
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
