using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Opens a file so that every write goes to its end, wherever that is by then.
/// https://man7.org/linux/man-pages/man2/open.2.html
/// </summary>
internal static partial class AppendOpen
{
    private const int WriteOnly = 1; // O_WRONLY
    private const int ReadWrite = 2; // O_RDWR
    private const int CreateNew = 0x40 | 0x80; // O_CREAT | O_EXCL
    private const int Append = 0x400; // O_APPEND
    private const int CloseOnExec = 0x80000; // O_CLOEXEC

    /// <summary>
    /// Opens a file, or creates it, and holds a shared <see cref="AdvisoryLock"/> on it: .NET readers with
    /// <see cref="FileShare.None"/> ask for an exclusive one.
    /// </summary>
    public static SafeFileHandle Open(string path, bool readable, int mode, out bool created, out int error)
    {
        int flags = (readable ? ReadWrite : WriteOnly) | Append | CloseOnExec;
        while (true)
        {
            created = false;
            int descriptor = OpenCall(path, flags, 0);
            if (descriptor < 0 && Marshal.GetLastPInvokeError() == Errno.NoEntry)
            {
                created = true;
                descriptor = OpenCall(path, flags | CreateNew, mode);
            }

            if (descriptor >= 0)
            {
                var file = new SafeFileHandle(descriptor, ownsHandle: true);
                error = AdvisoryLock.TryShare(file) ? 0 : Errno.Again;
                return file;
            }

            // EEXIST: another process created it in between; its file is as good.
            error = Marshal.GetLastPInvokeError();
            if (error is not (Errno.Interrupted or Errno.Exists))
            {
                return new SafeFileHandle(-1, ownsHandle: true);
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenCall(string path, int flags, int mode);
}

/// <summary>
/// Opens a file for reading, in two calls where the framework takes five: it asks for the current folder, for the status of the opened file, which
/// a source asks for again, and advises the kernel about the reads of the smallest file, too.
/// https://man7.org/linux/man-pages/man2/open.2.html, posix_fadvise.2.html
/// </summary>
internal static partial class ReadOpen
{
    private const int CurrentFolder = -100; // AT_FDCWD
    private const int ReadOnly = 0; // O_RDONLY
    private const int CloseOnExec = 0x80000; // O_CLOEXEC
    private const int Sequential = 2; // POSIX_FADV_SEQUENTIAL

    /// <summary>The framework's own switch for its locks, by both of its names.</summary>
    private static readonly bool Locks =
        !(AppContext.TryGetSwitch("System.IO.DisableFileLocking", out bool off)
            ? off
            : Environment.GetEnvironmentVariable("DOTNET_SYSTEM_IO_DISABLEFILELOCKING") is { } value && (value == "1" || value.Equals("true", StringComparison.OrdinalIgnoreCase)));

    /// <summary>Opens a file, a folder too, and takes the lock that the framework takes for a reader that shares.</summary>
    /// <param name="path">The path, as it was given.</param>
    /// <param name="locked">
    /// False where others hold the file alone: the framework's sharing is an advisory lock on Unix, which other programs take for other
    /// purposes and no other reader asks for.
    /// </param>
    /// <returns>Null if it cannot be opened.</returns>
    public static SafeFileHandle? TryOpen(string path, out bool locked)
    {
        locked = false;
        if (path.Contains('\0'))
        {
            return null;
        }

        if (path.Contains("..", StringComparison.Ordinal))
        {
            // The framework removes these before the kernel sees them, which differs where a folder before them is a link.
            path = Path.GetFullPath(path);
        }

        int opened;
        do
        {
            opened = OpenAt(CurrentFolder, path, ReadOnly | CloseOnExec, 0);
        }
        while (opened < 0 && Marshal.GetLastPInvokeError() == Errno.Interrupted);
        if (opened < 0)
        {
            return null;
        }

        var file = new SafeFileHandle(opened, ownsHandle: true);
        locked = Locks && AdvisoryLock.TryShare(file);
        return file;
    }

    /// <summary>Asks for more read-ahead, as the framework does for <see cref="FileOptions.SequentialScan"/>.</summary>
    public static void AdviseSequential(SafeFileHandle file) => _ = Advise(file, 0, 0, Sequential);

    [LibraryImport("libc", EntryPoint = "openat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenAt(int folder, string path, int flags, int mode);

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int Advise(SafeFileHandle file, long offset, long bytes, int advice);
}

/// <summary>
/// Opens a file past the page cache, through a description of our own, so that the caller's handle stays as it is.
/// </summary>
internal static class DirectOpen
{
    /// <summary>Offsets, lengths and addresses of direct reads are multiples of this where the kernel does not say; in bytes.</summary>
    /// <remarks>A page: the logical block of every common device, 512 or 4096 bytes, divides it.</remarks>
    public const int DefaultAlignment = 4096;

    private const int ReadOnly = 0; // O_RDONLY
    private const int WriteOnly = 1; // O_WRONLY

    private static readonly ByProcessor Direct = new(0x4000, 0x10000); // O_DIRECT

    /// <summary>Opens what <paramref name="file"/> has open once more, with O_DIRECT.</summary>
    /// <returns>Null, or why it cannot be had, in words for a person.</returns>
    public static string? TryReopen(
        SafeFileHandle file, bool write, out SafeFileHandle? direct, out int alignment)
    {
        direct = null;
        alignment = DefaultAlignment;
        // Since Linux 6.6 such a file system accepts O_DIRECT and copies as before, which was not requested.
        if (FileSystemKind.IsInMemory(file))
        {
            return "the file system keeps its files in memory";
        }

        if (!TryAlignment(file, ref alignment))
        {
            return "the file system does not open this file past the page cache";
        }

        SafeFileHandle opened = FileReopen.Open(file, (write ? WriteOnly : ReadOnly) | Direct.Here);
        if (opened.IsInvalid)
        {
            return $"opening with O_DIRECT was refused ({Marshal.GetLastPInvokeErrorMessage()})";
        }

        direct = opened;
        return null;
    }

    /// <summary>Since Linux 6.1 some file systems report the alignment that they need, or that they refuse.</summary>
    private static bool TryAlignment(SafeFileHandle file, ref int alignment)
    {
        if (StatX.TryGet(file, out StatX status, StatX.DirectAlignment) != 0 || (status.Mask & StatX.DirectAlignment) == 0)
        {
            return true;
        }

        // Blocks begin and end at whole pages; they cannot meet a stricter requirement.
        alignment = (int)Math.Max(status.DirectOffsetAlignment, DefaultAlignment);
        return status.DirectOffsetAlignment != 0
            && status.DirectMemoryAlignment <= Buffers.BlockPool.Alignment
            && Buffers.BlockPool.BodyBytes % alignment == 0;
    }
}

/// <summary>Attributes of a name, links not followed, or of an open file; and setting them.</summary>
internal readonly partial record struct NamedFile(uint Links, uint User, uint Group, int Format, UnixFileMode Permissions)
{
    public bool IsRegular => Format == StatX.Regular;

    public bool IsFolder => Format == StatX.Directory;

    public bool IsLink => Format == StatX.Link;

    /// <returns>0, or the error number: ENOENT where nothing has the name.</returns>
    public static int TryGet(string path, out NamedFile file)
    {
        int error = StatX.TryGet(path, follow: false, out StatX raw);
        file = From(raw);
        return error;
    }

    public static int TryGet(SafeFileHandle open, out NamedFile file)
    {
        int error = StatX.TryGet(open, out StatX raw);
        file = From(raw);
        return error;
    }

    /// <summary>Whether this process is the file's owner, to which the kernel grants more than to others.</summary>
    public static bool IsOwned(SafeFileHandle file) => TryGet(file, out NamedFile named) == 0 && named.User == GetEUid();

    /// <param name="file">The file.</param>
    /// <param name="user">Its new owner; null to leave it.</param>
    /// <param name="group">Its new group.</param>
    public static bool TrySetOwner(SafeFileHandle file, uint? user, uint group) => FChOwn(file, user ?? uint.MaxValue, group) == 0;

    public static int SetMode(SafeFileHandle file, UnixFileMode mode) =>
        FChMod(file, (int)mode) == 0 ? 0 : Marshal.GetLastPInvokeError();

    private static NamedFile From(in StatX raw) => new(raw.Links, raw.User, raw.Group, raw.Format, (UnixFileMode)(raw.Mode & 0xFFF));

    // https://man7.org/linux/man-pages/man2/chown.2.html, chmod.2.html
    [LibraryImport("libc", EntryPoint = "fchown", SetLastError = true)]
    private static partial int FChOwn(SafeFileHandle file, uint user, uint group);

    // https://man7.org/linux/man-pages/man2/geteuid.2.html
    [LibraryImport("libc", EntryPoint = "geteuid")]
    private static partial uint GetEUid();

    [LibraryImport("libc", EntryPoint = "fchmod", SetLastError = true)]
    private static partial int FChMod(SafeFileHandle file, int mode);
}

/// <summary>
/// Tells an open file from every other one, whatever its names are, where Linux's own calls are not used: by the framework's native
/// library on Unix, and on Windows by
/// https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getfileinformationbyhandle.
/// </summary>
internal static partial class OpenIdentity
{
    /// <returns>False where the system does not report them.</returns>
    public static bool TryGet(SafeFileHandle file, out ulong device, out ulong number)
    {
        device = 0;
        number = 0;
        if (OperatingSystem.IsWindows())
        {
            if (!GetFileInformationByHandle(file, out Information found))
            {
                return false;
            }

            device = found.Volume;
            number = ((ulong)found.UpperIndex << 32) | found.LowerIndex;

            // ReFS has longer numbers, and returns either of these where 64 bits cannot identify a file.
            return number is not (0 or ulong.MaxValue);
        }

        if (!SpecialFile.TryGetIdentity(file, out long unixDevice, out long inode))
        {
            return false;
        }

        device = (ulong)unixDevice;
        number = (ulong)inode;
        return true;
    }

    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetFileInformationByHandle(SafeFileHandle file, out Information information);

    /// <summary>BY_HANDLE_FILE_INFORMATION of fileapi.h.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 52)]
    private struct Information
    {
        [FieldOffset(28)]
        public uint Volume;

        [FieldOffset(44)]
        public uint UpperIndex;

        [FieldOffset(48)]
        public uint LowerIndex;
    }
}
