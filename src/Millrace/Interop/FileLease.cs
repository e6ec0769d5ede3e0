using System.Runtime.InteropServices;

namespace Millrace.Interop;

/// <summary>
/// Read leases: the kernel blocks a process that wants to write or truncate the file, and signals the holder.
/// https://man7.org/linux/man-pages/man2/F_SETLEASE.2const.html and F_SETSIG.2const.html; values from
/// linux/fcntl.h and asm-generic/fcntl.h.
/// </summary>
internal static unsafe partial class FileLease
{
    private const int SetLease = 1024; // F_SETLEASE
    private const int GetLease = 1025; // F_GETLEASE
    private const int SetSignal = 10; // F_SETSIG
    private const int SetOwner = 15; // F_SETOWN_EX
    private const int OwnerThread = 0; // F_OWNER_TID
    private const int ReadLock = 0; // F_RDLCK
    private const int Unlock = 2; // F_UNLCK

    /// <summary>Takes a lease whose break is signaled to one thread.</summary>
    public static int Take(int file, int thread, int signal)
    {
        // Receiver and signal come first: without them a break sends SIGIO to the process, which ends it.
        var owner = new OwnerEx { Type = OwnerThread, Id = thread };
        return FControl(file, SetSignal, signal) == 0
            && FControlOwner(file, SetOwner, &owner) == 0
            && FControl(file, SetLease, ReadLock) == 0
                ? 0
                : Marshal.GetLastPInvokeError();
    }

    /// <summary>Gives a lease up, which lets those in who wait.</summary>
    public static void GiveUp(int file) => _ = FControl(file, SetLease, Unlock);

    /// <summary>Whether there is a lease and no process has asked to break it.</summary>
    public static bool IsUndisturbed(int file) => FControl(file, GetLease, 0) == ReadLock;

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int FControl(int file, int command, nint argument);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int FControlOwner(int file, int command, OwnerEx* owner);

    /// <summary>struct f_owner_ex of asm-generic/fcntl.h.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct OwnerEx
    {
        public int Type;
        public int Id;
    }
}
