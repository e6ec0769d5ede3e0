using System.Buffers.Text;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Which file system a file is on: <c>fstatfs(2)</c>. https://man7.org/linux/man-pages/man2/fstatfs.2.html; values
/// from linux/magic.h.
/// </summary>
internal static partial class FileSystemKind
{
    private const uint Ext = 0xEF53; // ext2, ext3, ext4
    private const uint Xfs = 0x58465342;
    private const uint Btrfs = 0x9123683E;
    private const uint F2Fs = 0xF2F52010;
    private const uint BcacheFs = 0xCA451A4E;
    private const uint TmpFs = 0x01021994;
    private const uint RamFs = 0x858458F6;

    /// <summary>
    /// Whether every change to the file goes through this kernel and its leases. Elsewhere a server, a FUSE process or,
    /// for an overlay, the layer underneath can shorten the file and no lease is broken.
    /// </summary>
    public static bool IsLocal(SafeFileHandle file) => Get(file) is Ext or Xfs or Btrfs or F2Fs or BcacheFs or TmpFs or RamFs;

    /// <summary>Whether <see cref="FileSystemSync"/> makes everything durable and reports each error: an overlay and FUSE do not.</summary>
    public static bool SyncsAll(SafeFileHandle file) => Get(file) is Ext or Xfs or Btrfs or F2Fs or TmpFs;

    /// <summary>Whether the file system keeps its files in the page cache alone.</summary>
    public static bool IsInMemory(SafeFileHandle file) => Get(file) is TmpFs or RamFs;

    private static uint Get(SafeFileHandle file) => FStatFs(file, out StatFs status) == 0 ? unchecked((uint)status.Type) : 0;

    [LibraryImport("libc", EntryPoint = "fstatfs", SetLastError = true)]
    private static partial int FStatFs(SafeFileHandle file, out StatFs status);

    /// <summary>struct statfs, of which only the first word is read.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 256)]
    private struct StatFs
    {
        public nint Type;
    }
}

/// <summary>
/// <c>syncfs(2)</c>: makes all files and names of a file system durable, in one wait. Since Linux 5.8, it also reports bytes that could not be
/// written since the handle was opened, once to each handle; since 5.17, what the file system itself reports.
/// https://man7.org/linux/man-pages/man2/syncfs.2.html, and the commit 5679897eb104 of Linux.
/// </summary>
internal static partial class FileSystemSync
{
    /// <summary>Bytes that others may have to write, at most: the call waits for theirs, too.</summary>
    /// <remarks>A fraction of a second for a device of today; below it, one flush for each of 200 files takes longer.</remarks>
    private const long MaxOtherBytes = 256L * 1024 * 1024;

    /// <summary>Bytes of /proc/meminfo that are read: its lines about bytes to write come within the first thousand.</summary>
    private const int MaxStatusBytes = 4096;

    private static readonly bool Can = NativeFeatures.Linux && NativeFeatures.HasFunction("syncfs")
        && Environment.OSVersion.Version is { Major: > 5 } or { Major: 5, Minor: >= 17 };

    /// <summary>Whether it makes everything durable here and reports each error.</summary>
    /// <param name="file">A file or folder of the file system.</param>
    public static bool IsReliable(SafeFileHandle file) => Can && FileSystemKind.SyncsAll(file);

    /// <summary>Whether it is worth its wait here and now.</summary>
    /// <param name="file">A file or folder of the file system.</param>
    public static bool Pays(SafeFileHandle file) => IsReliable(file) && CountUnwritten() <= MaxOtherBytes;

    /// <param name="file">A file or folder of the file system, opened before the bytes were written that it is to make durable.</param>
    /// <returns>0, or the error number: some bytes are not durable, and may never be.</returns>
    public static int Run(SafeFileHandle file)
    {
        while (SyncFs(file) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            if (error != Errno.Interrupted)
            {
                return error;
            }
        }

        return 0;
    }

    /// <summary>Bytes of all file systems that no device has yet.</summary>
    private static long CountUnwritten()
    {
        try
        {
            Span<byte> text = stackalloc byte[MaxStatusBytes];
            using SafeFileHandle status = File.OpenHandle("/proc/meminfo");
            text = text[..RandomAccess.Read(status, text, 0)];
            return Find(text, "\nDirty:"u8) + Find(text, "\nWriteback:"u8);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return long.MaxValue;
        }
    }

    private static long Find(ReadOnlySpan<byte> text, ReadOnlySpan<byte> label)
    {
        int at = text.IndexOf(label);
        return at >= 0 && Utf8Parser.TryParse(text[(at + label.Length)..].TrimStart((byte)' '), out long kibibytes, out _)
            ? kibibytes * 1024
            : MaxOtherBytes + 1;
    }

    [LibraryImport("libc", EntryPoint = "syncfs", SetLastError = true)]
    private static partial int SyncFs(SafeFileHandle file);
}
