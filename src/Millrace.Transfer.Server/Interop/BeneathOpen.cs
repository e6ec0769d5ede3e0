using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server.Interop;

/// <summary>
/// <c>openat2(2)</c>, Linux 5.6: opens a path below a folder, and refuses when any step of it, also through links and while
/// folders are being renamed, would leave it. https://man7.org/linux/man-pages/man2/openat2.2.html
/// </summary>
internal static unsafe partial class BeneathOpen
{
    private const int SystemCall = 437; // __NR_openat2, the same on every processor
    private const int NoTerminal = 0x100; // O_NOCTTY
    private const int NoWait = 0x800; // O_NONBLOCK: a FIFO without a writer is not waited for
    private const int CloseOnExec = 0x80000; // O_CLOEXEC
    private const int PathOnly = 0x200000; // O_PATH: needs no permission to read
    private const ulong NoMagicLinks = 0x02; // RESOLVE_NO_MAGICLINKS
    private const ulong NoLinks = 0x04; // RESOLVE_NO_SYMLINKS
    private const ulong Beneath = 0x08; // RESOLVE_BENEATH

    /// <summary>How often a path is retried that the kernel could not resolve because of a concurrent rename.</summary>
    private const int Tries = 64;

    private static readonly ByProcessor OnlyFolder = new(0x10000, 0x4000); // O_DIRECTORY

    /// <summary>Opens a file for reading.</summary>
    /// <returns>An invalid handle with the error number when it cannot be opened: ELOOP when there is a link in the path.</returns>
    public static SafeFileHandle File(SafeFileHandle folder, string path, out int error) =>
        Open(folder, path, NoTerminal | NoWait | CloseOnExec, Beneath | NoLinks, out error);

    /// <summary>Opens a file, or anything else, only to look at it.</summary>
    /// <returns>As <see cref="File"/>.</returns>
    public static SafeFileHandle Path(SafeFileHandle folder, string path, out int error) =>
        Open(folder, path, PathOnly | CloseOnExec, Beneath | NoLinks, out error);

    /// <summary>Opens a folder.</summary>
    /// <returns>
    /// An invalid handle with the error number when it cannot be opened: EXDEV when it is not below the folder, ELOOP when
    /// there is a link in the path and <paramref name="follow"/> is false.
    /// </returns>
    public static SafeFileHandle Folder(SafeFileHandle folder, string path, bool follow, out int error) =>
        Open(folder, path, (uint)OnlyFolder.Here | CloseOnExec, Beneath | (follow ? NoMagicLinks : NoLinks), out error);

    /// <summary>Opens the folder that contains a folder.</summary>
    public static SafeFileHandle Parent(SafeFileHandle folder, out int error) =>
        Open(folder, "..", (uint)OnlyFolder.Here | PathOnly | CloseOnExec, NoLinks, out error);

    private static SafeFileHandle Open(SafeFileHandle folder, string path, ulong flags, ulong resolve, out int error)
    {
        var how = new How { Flags = flags, Resolve = resolve };
        for (int i = 0; ; i++)
        {
            nint opened = OpenAt2(SystemCall, folder, path, &how, (nuint)sizeof(How));
            if (opened >= 0)
            {
                error = 0;
                return new SafeFileHandle(opened, ownsHandle: true);
            }

            error = Marshal.GetLastPInvokeError();
            if (i == Tries || error is not (Errno.Interrupted or Errno.Again))
            {
                return new SafeFileHandle();
            }
        }
    }

    // glibc has no wrapper for it.
    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint OpenAt2(nint number, SafeFileHandle folder, string path, How* how, nuint size);

    /// <summary>struct open_how of linux/openat2.h.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct How
    {
        public ulong Flags;
        public ulong Mode;
        public ulong Resolve;
    }
}
