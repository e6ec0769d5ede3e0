using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// When an open file was last read and written, to the nanosecond, which the framework's times are not.
/// https://man7.org/linux/man-pages/man2/statx.2.html, man3/futimens.3.html
/// </summary>
internal readonly unsafe partial record struct FileTimes
{
    private const int EmptyPath = 0x1000; // AT_EMPTY_PATH
    private const uint AccessAndModification = 0x20 | 0x40; // STATX_ATIME | STATX_MTIME

    private readonly Time _access;
    private readonly Time _modification;

    private FileTimes(Time access, Time modification)
    {
        _access = access;
        _modification = modification;
    }

    public static int TryGet(SafeFileHandle file, out FileTimes times)
    {
        StatX raw;
        int done = StatXCall(file, "", EmptyPath, AccessAndModification, &raw);
        times = new FileTimes(
            new Time { Seconds = raw.AccessSeconds, Nanoseconds = raw.AccessNanoseconds },
            new Time { Seconds = raw.ModifiedSeconds, Nanoseconds = raw.ModifiedNanoseconds });
        return done == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    public int SetOn(SafeFileHandle file)
    {
        Time* times = stackalloc Time[2] { _access, _modification };
        return FUTimeNs(file, times) == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int StatXCall(SafeFileHandle folder, string path, int flags, uint mask, StatX* status);

    [LibraryImport("libc", EntryPoint = "futimens", SetLastError = true)]
    private static partial int FUTimeNs(SafeFileHandle file, Time* times);

    /// <summary>struct timespec of 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private record struct Time
    {
        public long Seconds;
        public long Nanoseconds;
    }

    /// <summary>struct statx of linux/stat.h; 256 bytes, of which only these are read.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct StatX
    {
        [FieldOffset(64)]
        public long AccessSeconds;

        [FieldOffset(72)]
        public uint AccessNanoseconds;

        [FieldOffset(112)]
        public long ModifiedSeconds;

        [FieldOffset(120)]
        public uint ModifiedNanoseconds;
    }
}
