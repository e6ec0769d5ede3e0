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
