using System.Runtime.InteropServices;
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
