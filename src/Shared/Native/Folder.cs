using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// An open folder, and names in it: they stay right when the folder is renamed meanwhile.
/// https://man7.org/linux/man-pages/man2/open.2.html, rename.2.html, unlink.2.html, fsync.2.html
/// </summary>
internal static partial class Folder
{
    private const int CloseOnExec = 0x80000; // O_CLOEXEC
    private const int ReadWrite = 2; // O_RDWR
    private const int CreateNew = 0x40 | 0x80; // O_CREAT | O_EXCL
    private const int CreateIfMissing = 0x40; // O_CREAT
    private const int NoReplace = 1; // RENAME_NOREPLACE, Linux 3.15

    private static readonly ByProcessor OnlyFolder = new(0x10000, 0x4000); // O_DIRECTORY
    private static readonly ByProcessor NoFollow = new(0x20000, 0x8000); // O_NOFOLLOW
    private static readonly bool CanRenameToFree = NativeFeatures.HasCall("renameat2");

    /// <returns>An invalid handle when it cannot be opened; see <see cref="Marshal.GetLastPInvokeError"/>.</returns>
    public static SafeFileHandle Open(string path) =>
        new(OpenCall(path, OnlyFolder.Here | CloseOnExec), ownsHandle: true);

    /// <summary>Opens a file for reading, without a lock.</summary>
    /// <returns>As <see cref="Open"/>.</returns>
    public static SafeFileHandle OpenFile(string path) => new(OpenCall(path, CloseOnExec), ownsHandle: true);

    /// <summary>
    /// Creates a file for reading and writing, and holds a shared <see cref="AdvisoryLock"/> on it: readers of .NET take the
    /// same kind, and who looks whether it is still in use asks for an exclusive one.
    /// </summary>
    public static SafeFileHandle Create(SafeFileHandle folder, string name, int mode, out int error)
    {
        var file = new SafeFileHandle(
            OpenAt(folder, name, ReadWrite | CreateNew | CloseOnExec, mode), ownsHandle: true);
        if (file.IsInvalid)
        {
            error = Marshal.GetLastPInvokeError();
            return file;
        }

        error = AdvisoryLock.TryShare(file) ? 0 : Errno.Again;
        return file;
    }

    /// <summary>
    /// Opens a file for reading and writing, creates it if there is none, and holds it exclusively: no other writer continues it
    /// meanwhile. A link is refused.
    /// </summary>
    public static SafeFileHandle OpenAlone(SafeFileHandle folder, string name, int mode, out int error)
    {
        var file = new SafeFileHandle(
            OpenAt(folder, name, ReadWrite | CreateIfMissing | NoFollow.Here | CloseOnExec, mode), ownsHandle: true);
        error = file.IsInvalid ? Marshal.GetLastPInvokeError() : 0;
        if (error == 0 && !AdvisoryLock.TryTakeAlone(file))
        {
            error = Errno.Again;
        }

        return file;
    }

    /// <summary>Renames, over whatever has the name.</summary>
    public static int Rename(SafeFileHandle fromFolder, string from, SafeFileHandle toFolder, string to) =>
        RenameAt(fromFolder, from, toFolder, to) == 0 ? 0 : Marshal.GetLastPInvokeError();

    /// <summary>Renames if the name is free, in one step.</summary>
    public static int RenameToFree(SafeFileHandle fromFolder, string from, SafeFileHandle toFolder, string to)
    {
        int error = !CanRenameToFree ? Errno.NoSystemCall
            : RenameAt2(SystemCallNumber.RenameAt2.Here, fromFolder, from, toFolder, to, NoReplace) == 0 ? 0
            : Marshal.GetLastPInvokeError();
        if (error is not (Errno.InvalidArgument or Errno.NoSystemCall))
        {
            return error;
        }

        // A file system that does not know the flag: a second name is refused where one is, too.
        if (LinkAt(fromFolder, from, toFolder, to, 0) != 0)
        {
            return Marshal.GetLastPInvokeError();
        }

        _ = Remove(fromFolder, from);
        return 0;
    }

    /// <summary>Gives a file a second name, which has to be free.</summary>
    public static int Link(SafeFileHandle fromFolder, string from, SafeFileHandle toFolder, string to) =>
        LinkAt(fromFolder, from, toFolder, to, 0) == 0 ? 0 : Marshal.GetLastPInvokeError();

    public static int Remove(SafeFileHandle folder, string name) =>
        UnlinkAt(folder, name, 0) == 0 ? 0 : Marshal.GetLastPInvokeError();

    /// <summary>The same for a path.</summary>
    public static int Remove(string path) => Unlink(path) == 0 ? 0 : Marshal.GetLastPInvokeError();

    /// <summary>Makes the names in the folder durable.</summary>
    /// <returns>0, or the error number; a file system that has nothing to flush counts as done.</returns>
    public static int Flush(SafeFileHandle folder) => DataFlush.FlushAll(folder) switch
    {
        Errno.InvalidArgument or Errno.NotSupported or Errno.ReadOnlyFileSystem => 0,
        var error => error,
    };

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenCall(string path, int flags);

    [LibraryImport("libc", EntryPoint = "openat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenAt(SafeFileHandle folder, string name, int flags, int mode);

    [LibraryImport("libc", EntryPoint = "renameat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int RenameAt(SafeFileHandle fromFolder, string from, SafeFileHandle toFolder, string to);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint RenameAt2(
        nint number, SafeFileHandle fromFolder, string from, SafeFileHandle toFolder, string to, nint flags);

    [LibraryImport("libc", EntryPoint = "linkat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int LinkAt(
        SafeFileHandle fromFolder, string from, SafeFileHandle toFolder, string to, int flags);

    [LibraryImport("libc", EntryPoint = "unlink", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Unlink(string path);

    [LibraryImport("libc", EntryPoint = "unlinkat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int UnlinkAt(SafeFileHandle folder, string name, int flags);
}
