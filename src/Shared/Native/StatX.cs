using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// The status from <c>statx(2)</c> of a name or an open file, in one call and without allocating. This is struct statx of
/// linux/stat.h, which, unlike that of <c>fstat</c>, is the same on every processor: 256 bytes, of which only these are read.
/// https://man7.org/linux/man-pages/man2/statx.2.html
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal partial struct StatX
{
    /// <summary>STATX_DIOALIGN, Linux 6.1.</summary>
    public const uint DirectAlignment = 0x2000;

    public const int Regular = 0x8000; // S_IFREG
    public const int Directory = 0x4000; // S_IFDIR
    public const int Link = 0xA000; // S_IFLNK
    public const int CharacterDevice = 0x2000; // S_IFCHR
    public const int BlockDevice = 0x6000; // S_IFBLK

    private const uint BasicStats = 0x7ff; // STATX_BASIC_STATS
    private const int CurrentFolder = -100; // AT_FDCWD
    private const int NoFollow = 0x100; // AT_SYMLINK_NOFOLLOW
    private const int EmptyPath = 0x1000; // AT_EMPTY_PATH
    private const int ForceSync = 0x2000; // AT_STATX_FORCE_SYNC
    private const int FormatMask = 0xF000; // S_IFMT

    /// <summary>The fields that the kernel filled.</summary>
    [FieldOffset(0)]
    public uint Mask;

    [FieldOffset(16)]
    public uint Links;

    [FieldOffset(20)]
    public uint User;

    [FieldOffset(24)]
    public uint Group;

    [FieldOffset(28)]
    public ushort Mode;

    [FieldOffset(32)]
    public ulong Inode;

    [FieldOffset(40)]
    public ulong Size;

    [FieldOffset(64)]
    public long AccessSeconds;

    [FieldOffset(72)]
    public uint AccessNanoseconds;

    /// <summary>When its content, mode, owner or links last changed; the framework does not report this.</summary>
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

    [FieldOffset(152)]
    public uint DirectMemoryAlignment;

    [FieldOffset(156)]
    public uint DirectOffsetAlignment;

    /// <summary>The kind of the file, one of the S_IF values.</summary>
    public readonly int Format => Mode & FormatMask;

    /// <returns>0, or the error number.</returns>
    public static unsafe int TryGet(SafeFileHandle file, out StatX status, uint mask = BasicStats)
    {
        // No name to encode: each file that is opened is asked about twice.
        status = default;
        fixed (byte* empty = "\0"u8)
        fixed (StatX* filled = &status)
        {
            return Call(SystemCallNumber.StatX.Here, file, empty, EmptyPath, (nint)mask, filled) == 0 ? 0 : Marshal.GetLastPInvokeError();
        }
    }

    /// <returns>0, or the error number: ENOENT where nothing has the name.</returns>
    public static int TryGet(string path, bool follow, out StatX status) =>
        Call(SystemCallNumber.StatX.Here, CurrentFolder, path, follow ? 0 : NoFollow, (nint)BasicStats, out status) == 0
            ? 0
            : Marshal.GetLastPInvokeError();

    /// <summary>The status of a name in a folder. A link is not followed.</summary>
    /// <returns>0, or the error number: ENOENT where nothing has the name.</returns>
    public static int TryGet(SafeFileHandle folder, string name, out StatX status) =>
        Call(SystemCallNumber.StatX.Here, folder, name, NoFollow, (nint)BasicStats, out status) == 0 ? 0 : Marshal.GetLastPInvokeError();

    /// <summary>The current status of a name in a folder, also by the clock of a file server. A link is not followed.</summary>
    /// <param name="folder">The folder; the file itself where the name is empty.</param>
    /// <param name="name">The name in it.</param>
    /// <param name="status">The status.</param>
    /// <returns>0, or the error number.</returns>
    public static int TryGetNow(SafeFileHandle folder, string name, out StatX status) =>
        Call(SystemCallNumber.StatX.Here, folder, name, NoFollow | EmptyPath | ForceSync, (nint)BasicStats, out status) == 0
            ? 0
            : Marshal.GetLastPInvokeError();

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static unsafe partial nint Call(nint number, SafeFileHandle file, byte* path, nint flags, nint mask, StatX* status);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint Call(nint number, SafeFileHandle folder, string path, nint flags, nint mask, out StatX status);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint Call(nint number, nint folder, string path, nint flags, nint mask, out StatX status);
}
