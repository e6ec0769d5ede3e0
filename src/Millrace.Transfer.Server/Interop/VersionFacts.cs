using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server.Interop;

/// <summary>
/// What <c>statx(2)</c> says of the version of a file, the time of its last change included, which the framework does not
/// tell; and <c>futimens(3)</c>, which sets the time of modification to the nanosecond.
/// https://man7.org/linux/man-pages/man2/statx.2.html, man3/futimens.3.html
/// </summary>
internal static unsafe partial class VersionFacts
{
    private const int CurrentFolder = -100; // AT_FDCWD
    private const int NoFollow = 0x100; // AT_SYMLINK_NOFOLLOW
    private const int EmptyPath = 0x1000; // AT_EMPTY_PATH
    private const uint BasicStats = 0x7ff; // STATX_BASIC_STATS
    private const int FormatMask = 0xF000; // S_IFMT
    private const int Regular = 0x8000; // S_IFREG
    private const int Directory = 0x4000; // S_IFDIR
    private const int Link = 0xA000; // S_IFLNK
    private const long Omit = (1L << 30) - 2; // UTIME_OMIT

    /// <returns>0, or the error number.</returns>
    public static int TryGet(SafeFileHandle file, out FileFacts facts)
    {
        StatX raw;
        int done = ByHandle(file, "", EmptyPath, BasicStats, &raw);
        facts = From(raw);
        return done == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    /// <summary>Links are not followed.</summary>
    /// <returns>0, or the error number.</returns>
    public static int TryGet(string path, out FileFacts facts, out bool isFolder, out bool isLink)
    {
        StatX raw;
        int done = ByPath(CurrentFolder, path, NoFollow, BasicStats, &raw);
        facts = From(raw);
        isFolder = (raw.Mode & FormatMask) == Directory;
        isLink = (raw.Mode & FormatMask) == Link;
        return done == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    /// <summary>Sets when an open file was modified, in nanoseconds since 1970.</summary>
    /// <returns>0, or the error number.</returns>
    public static int SetModified(SafeFileHandle file, long nanoseconds)
    {
        Time* times = stackalloc Time[2]
        {
            new Time { Nanoseconds = Omit },
            new Time { Seconds = nanoseconds / 1_000_000_000, Nanoseconds = nanoseconds % 1_000_000_000 },
        };
        return FUTimeNs(file, times) == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    private static FileFacts From(in StatX raw) => new(
        ((ulong)raw.DeviceMajor << 32) | raw.DeviceMinor,
        raw.Inode,
        (long)raw.Size,
        (raw.ModifiedSeconds * 1_000_000_000) + raw.ModifiedNanoseconds,
        (raw.ChangedSeconds * 1_000_000_000) + raw.ChangedNanoseconds,
        (raw.Mode & FormatMask) == Regular);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int ByHandle(SafeFileHandle folder, string path, int flags, uint mask, StatX* status);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int ByPath(int folder, string path, int flags, uint mask, StatX* status);

    [LibraryImport("libc", EntryPoint = "futimens", SetLastError = true)]
    private static partial int FUTimeNs(SafeFileHandle file, Time* times);

    /// <summary>struct timespec of 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Time
    {
        public long Seconds;
        public long Nanoseconds;
    }

    /// <summary>struct statx of linux/stat.h; 256 bytes, of which only these are read.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct StatX
    {
        [FieldOffset(28)]
        public ushort Mode;

        [FieldOffset(32)]
        public ulong Inode;

        [FieldOffset(40)]
        public ulong Size;

        [FieldOffset(96)]
        public long ChangedSeconds;

        [FieldOffset(104)]
        public uint ChangedNanoseconds;

        [FieldOffset(112)]
        public long ModifiedSeconds;

        [FieldOffset(120)]
        public uint ModifiedNanoseconds;

        [FieldOffset(136)]
        public uint DeviceMajor;

        [FieldOffset(140)]
        public uint DeviceMinor;
    }
}
