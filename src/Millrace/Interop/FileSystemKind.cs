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
