using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Testing;

/// <summary>Waits until no process has a file open for writing that this process wrote and closed.</summary>
/// <remarks>
/// A process that another test starts has a copy of every descriptor between fork and exec. Until exec closes them, the kernel
/// counts a writer: it refuses a lease on the file (EAGAIN) and to run it (ETXTBSY).
/// </remarks>
public static partial class OpenWriters
{
    private const int SetLease = 1024; // F_SETLEASE
    private const int ReadLock = 0; // F_RDLCK
    private const int Unlock = 2; // F_UNLCK
    private const int Again = 11; // EAGAIN

    public static void WaitUntilNone(string path)
    {
        if (OperatingSystem.IsLinux())
        {
            using SafeFileHandle file = File.OpenHandle(path, share: FileShare.ReadWrite);
            Assert.True(
                SpinWait.SpinUntil(
                    () => FControl(file, SetLease, ReadLock) == 0 || Marshal.GetLastPInvokeError() != Again, Bounded.Patience),
                $"'{path}' is still open for writing after {Bounded.Patience}.");
            _ = FControl(file, SetLease, Unlock);
        }
    }

    /// <summary>https://man7.org/linux/man-pages/man2/F_SETLEASE.2const.html; a read lease is granted only without a writer.</summary>
    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int FControl(SafeFileHandle file, int command, nint argument);
}
