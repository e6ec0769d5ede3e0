using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server.Interop;

/// <summary>
/// The version of a file as <see cref="StatX"/> reports it, the time of its last change included; and <c>futimens(3)</c>,
/// which sets the time of modification to the nanosecond. https://man7.org/linux/man-pages/man3/futimens.3.html
/// </summary>
internal static unsafe partial class VersionFacts
{
    private const long Omit = (1L << 30) - 2; // UTIME_OMIT

    /// <returns>0, or the error number.</returns>
    public static int TryGet(SafeFileHandle file, out FileFacts facts)
    {
        int error = StatX.TryGet(file, out StatX raw);
        facts = From(raw);
        return error;
    }

    /// <summary>Links are not followed.</summary>
    /// <returns>0, or the error number.</returns>
    public static int TryGet(string path, out FileFacts facts, out bool isFolder, out bool isLink)
    {
        int error = StatX.TryGet(path, follow: false, out StatX raw);
        return From(raw, error, out facts, out isFolder, out isLink);
    }

    /// <summary>The same of a name in an open folder, to which the kernel need not find the way for each name.</summary>
    /// <returns>0, or the error number.</returns>
    public static int TryGet(SafeFileHandle folder, string name, out FileFacts facts, out bool isFolder, out bool isLink)
    {
        int error = StatX.TryGet(folder, name, out StatX raw);
        return From(raw, error, out facts, out isFolder, out isLink);
    }

    /// <summary>Those of a name in a folder, or of the handle itself for an empty name, that no cache of a network file system decides.</summary>
    /// <returns>0, or the error number.</returns>
    public static int TryGetNow(SafeFileHandle folder, string name, out FileFacts facts)
    {
        int error = StatX.TryGetNow(folder, name, out StatX raw);
        facts = From(raw);
        return error;
    }

    /// <summary>Sets when an open file was modified.</summary>
    /// <returns>0, or the error number.</returns>
    public static int SetModified(SafeFileHandle file, FileTime time)
    {
        Time* times = stackalloc Time[2]
        {
            new Time { Nanoseconds = Omit },
            new Time { Seconds = time.Seconds, Nanoseconds = time.Nanoseconds },
        };
        return FUTimeNs(file, times) == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    private static int From(in StatX raw, int error, out FileFacts facts, out bool isFolder, out bool isLink)
    {
        facts = From(raw);
        isFolder = raw.Format == StatX.Directory;
        isLink = raw.Format == StatX.Link;
        return error;
    }

    private static FileFacts From(in StatX raw) => new(
        ((ulong)raw.DeviceMajor << 32) | raw.DeviceMinor,
        raw.Inode,
        (long)raw.Size,
        (raw.ModifiedSeconds * 1_000_000_000) + raw.ModifiedNanoseconds,
        (raw.ChangedSeconds * 1_000_000_000) + raw.ChangedNanoseconds,
        raw.Format == StatX.Regular,
        raw.ModifiedSeconds)
    {
        IsExecutable = raw.Format == StatX.Regular && (raw.Mode & (int)UnixFileMode.UserExecute) != 0,
    };

    [LibraryImport("libc", EntryPoint = "futimens", SetLastError = true)]
    private static partial int FUTimeNs(SafeFileHandle file, Time* times);

    /// <summary>struct timespec of 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Time
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
