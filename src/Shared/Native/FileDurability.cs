using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// <c>fdatasync(2)</c>: the bytes, and only the metadata needed to find them again, such as the length. The times that
/// fsync adds cost a log a second place on the device. https://man7.org/linux/man-pages/man2/fdatasync.2.html
/// </summary>
internal static partial class DataFlush
{
    public static int Flush(SafeFileHandle file) => Flush(file, all: false);

    /// <summary><c>fsync(2)</c>: the times and permissions, too.</summary>
    /// <remarks>
    /// The framework's <see cref="RandomAccess.FlushToDisk"/> and <c>FileStream.Flush(true)</c> return as if nothing were
    /// wrong when this fails (seen with .NET 10 on a failing device).
    /// </remarks>
    public static int FlushAll(SafeFileHandle file) => Flush(file, all: true);

    private static int Flush(SafeFileHandle file, bool all)
    {
        while ((all ? FSync(file) : FDataSync(file)) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            if (error != Errno.Interrupted)
            {
                return error;
            }
        }

        return 0;
    }

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    private static partial int FSync(SafeFileHandle file);

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    private static partial int FDataSync(SafeFileHandle file);
}

/// <summary>
/// Renames over a file that is being read, as Unix does: FILE_RENAME_FLAG_POSIX_SEMANTICS, Windows 10 1709 on NTFS.
/// https://learn.microsoft.com/windows/win32/api/winbase/ns-winbase-file_rename_info. Where that is refused, MoveFileEx renames: unlike
/// File.Replace also a file that others have open, and unlike File.Move it never copies.
/// </summary>
internal static unsafe partial class WindowsRename
{
    private const uint Delete = 0x00010000; // DELETE
    private const uint ShareAll = 7; // FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE
    private const uint OpenExisting = 3; // OPEN_EXISTING
    private const int RenameInfoEx = 22; // FileRenameInfoEx
    private const int ReplaceAsUnix = 1 | 2; // FILE_RENAME_FLAG_REPLACE_IF_EXISTS | FILE_RENAME_FLAG_POSIX_SEMANTICS
    private const uint ReplaceExisting = 1; // MOVEFILE_REPLACE_EXISTING
    private const int NameLength = 16; // offsetof(FILE_RENAME_INFO, FileNameLength), after the flags and a handle
    private const int Name = 20;
    private const int MaxShortPath = 248; // MAX_PATH less the 12 characters of a name that folders keep free

    /// <returns>False on other systems, and when the file was not renamed, for whatever reason: an ordinary rename reports it.</returns>
    public static bool TryReplace(string path, string target)
    {
        if (!OperatingSystem.IsWindows())
        {
            return false;
        }

        (path, target) = (Extended(path), Extended(target));
        return TryReplaceOpen(path, target) || MoveFileEx(path, target, ReplaceExisting);
    }

    /// <summary>
    /// A long path in the form that Windows takes: https://learn.microsoft.com/windows/win32/fileio/maximum-file-path-limitation.
    /// </summary>
    internal static string Extended(string path) =>
        path.Length < MaxShortPath || path.StartsWith(@"\\?\", StringComparison.Ordinal) || path.StartsWith(@"\\.\", StringComparison.Ordinal) ? path
            : path.StartsWith(@"\\", StringComparison.Ordinal) ? @"\\?\UNC\" + path[2..]
            : @"\\?\" + path;

    private static bool TryReplaceOpen(string path, string target)
    {
        using SafeFileHandle file = CreateFile(path, Delete, ShareAll, 0, OpenExisting, 0, 0);
        if (file.IsInvalid)
        {
            return false;
        }

        byte[] information = new byte[Name + ((target.Length + 1) * sizeof(char))];
        BinaryPrimitives.WriteInt32LittleEndian(information, ReplaceAsUnix);
        BinaryPrimitives.WriteInt32LittleEndian(information.AsSpan(NameLength), target.Length * sizeof(char));
        MemoryMarshal.AsBytes(target.AsSpan()).CopyTo(information.AsSpan(Name));
        fixed (byte* bytes = information)
        {
            return SetFileInformationByHandle(file, RenameInfoEx, bytes, (uint)information.Length);
        }
    }

    [LibraryImport("kernel32", EntryPoint = "CreateFileW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    private static partial SafeFileHandle CreateFile(
        string path, uint access, uint share, nint security, uint disposition, uint flags, nint template);

    [LibraryImport("kernel32", EntryPoint = "MoveFileExW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool MoveFileEx(string path, string target, uint flags);

    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool SetFileInformationByHandle(SafeFileHandle file, int kind, byte* information, uint bytes);
}
