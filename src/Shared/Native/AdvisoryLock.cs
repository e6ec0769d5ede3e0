using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.Unicode;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// The kind of lock that .NET's own FileShare takes on Unix. A file system without locks has none to refuse.
/// https://man7.org/linux/man-pages/man2/flock.2.html
/// </summary>
internal static partial class AdvisoryLock
{
    private const int Shared = 1; // LOCK_SH
    private const int Alone = 2; // LOCK_EX
    private const int NoWait = 4; // LOCK_NB
    private const int Unlock = 8; // LOCK_UN

    /// <summary>Takes a shared lock, or makes it one of a lock that is held alone.</summary>
    public static bool TryShare(SafeFileHandle file) => Try(file, Shared);

    public static bool TryTakeAlone(SafeFileHandle file) => Try(file, Alone);

    /// <remarks>
    /// To be called before the file is closed: a process that is being started right now has every descriptor of this one
    /// until it runs its own program, and would hold the lock for as long.
    /// </remarks>
    public static void Release(SafeFileHandle file) => _ = FLock(file, Unlock);

    private static bool Try(SafeFileHandle file, int kind) =>
        FLock(file, kind | NoWait) == 0 || Marshal.GetLastPInvokeError() != Errno.Again;

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    private static partial int FLock(SafeFileHandle file, int operation);
}

/// <summary>
/// Opens the file of a handle a second time, as a separate file description: with its own read-ahead and lease, and
/// with none of the locks that the framework takes. https://man7.org/linux/man-pages/man2/open.2.html
/// </summary>
internal static unsafe partial class FileReopen
{
    private const int ReadOnly = 0; // O_RDONLY
    private const int CloseOnExec = 0x80000; // O_CLOEXEC
    private const int Sequential = 2; // POSIX_FADV_SEQUENTIAL

    /// <returns>Null where there is no /proc, or the file may not be opened any more.</returns>
    public static SafeFileHandle? TryOpen(SafeFileHandle file)
    {
        SafeFileHandle opened = Open(file, ReadOnly);
        if (opened.IsInvalid)
        {
            return null;
        }

        // As the framework opens files to read them in order. Only advice: the result does not matter.
        _ = Advise(opened, 0, 0, Sequential);
        return opened;
    }


    /// <summary>Opens by the name in /proc, which works for a file that was renamed or deleted since, and needs no path.</summary>
    /// <returns>An invalid handle when it cannot be opened; see <see cref="Marshal.GetLastPInvokeError"/>.</returns>
    public static SafeFileHandle Open(SafeFileHandle file, int flags)
    {
        bool added = false;
        try
        {
            file.DangerousAddRef(ref added);
            Span<byte> name = stackalloc byte[32];
            _ = Utf8.TryWrite(
                name, CultureInfo.InvariantCulture, $"/proc/self/fd/{(int)file.DangerousGetHandle()}\0", out _);
            int opened;
            fixed (byte* bytes = name)
            {
                do
                {
                    opened = OpenCall(bytes, flags | CloseOnExec, 0);
                }
                while (opened < 0 && Marshal.GetLastPInvokeError() == Errno.Interrupted);
            }

            return new SafeFileHandle(opened, ownsHandle: true);
        }
        finally
        {
            if (added)
            {
                file.DangerousRelease();
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true)]
    private static partial int OpenCall(byte* path, int flags, int mode);

    // https://man7.org/linux/man-pages/man2/posix_fadvise.2.html
    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int Advise(SafeFileHandle file, long offset, long bytes, int advice);
}
