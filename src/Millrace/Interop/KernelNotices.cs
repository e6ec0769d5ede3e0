using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

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

/// <summary>
/// Change notifications of folders. https://man7.org/linux/man-pages/man7/inotify.7.html; values from linux/inotify.h.
/// </summary>
internal static partial class FolderNotices
{
    /// <summary>Notifications were lost; it names no folder.</summary>
    public const uint Overflow = 0x4000; // IN_Q_OVERFLOW

    /// <summary>Bytes of a notification before its name (struct inotify_event).</summary>
    public const int HeaderBytes = 16;

    private const int CloseOnExec = 0x80000; // IN_CLOEXEC
    private const uint Modified = 0x2; // IN_MODIFY
    private const uint MovedFrom = 0x40; // IN_MOVED_FROM
    private const uint MovedTo = 0x80; // IN_MOVED_TO
    private const uint Created = 0x100; // IN_CREATE
    private const uint Deleted = 0x200; // IN_DELETE
    private const uint OnlyFolders = 0x1000000; // IN_ONLYDIR
    private const uint Changes = Modified | MovedFrom | MovedTo | Created | Deleted;

    private static readonly bool HasFunctions = NativeFeatures.Linux && NativeFeatures.HasFunction("inotify_init1")
        && NativeFeatures.HasFunction("inotify_add_watch") && NativeFeatures.HasFunction("inotify_rm_watch");

    /// <returns>Null where the system has none, or the user no instance left.</returns>
    public static SafeFileHandle? TryCreate()
    {
        if (!HasFunctions)
        {
            return null;
        }

        var instance = new SafeFileHandle(Init(CloseOnExec), ownsHandle: true);
        return instance.IsInvalid ? null : instance;
    }

    /// <returns>The number of the folder's watch, the same for every name of the folder; negative if it cannot be watched.</returns>
    public static int Watch(SafeFileHandle instance, string folder) => AddWatch(instance, folder, Changes | OnlyFolders);

    public static void Unwatch(SafeFileHandle instance, int watch) => _ = RemoveWatch(instance, watch);

    [LibraryImport("libc", EntryPoint = "inotify_init1", SetLastError = true)]
    private static partial int Init(int flags);

    [LibraryImport("libc", EntryPoint = "inotify_add_watch", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int AddWatch(SafeFileHandle instance, string folder, uint mask);

    [LibraryImport("libc", EntryPoint = "inotify_rm_watch", SetLastError = true)]
    private static partial int RemoveWatch(SafeFileHandle instance, int watch);
}

/// <summary>
/// Signals that are waited for instead of handled. https://man7.org/linux/man-pages/man3/pthread_sigmask.3.html,
/// man2/sigwaitinfo.2.html, man7/signal.7.html.
/// </summary>
internal static unsafe partial class ThreadSignals
{
    /// <summary>The signal that the kernel sends when its queue of real-time signals is full. It does not name the file.</summary>
    public const int Overflow = 29; // SIGIO

    private const int Block = 0; // SIG_BLOCK
    private const int MaxNumber = 64;

    /// <summary>.NET itself and other runtimes take the first few.</summary>
    private const int FirstTried = 8;

    public static int ChooseUnused()
    {
        for (int signal = RealTimeMinimum() + FirstTried; signal <= MaxNumber; signal++)
        {
            // struct sigaction begins with the handler in every C library of Linux; 0 is SIG_DFL.
            Disposition current = default;
            if (SignalAction(signal, null, &current) == 0 && current.Handler == 0)
            {
                return signal;
            }
        }

        return 0;
    }

    /// <summary>The number of the calling thread in the kernel.</summary>
    public static int CurrentThread() => (int)SystemCall(SystemCallNumber.GetThread.Here);

    public static bool TryBlock(in SignalSet signals)
    {
        fixed (SignalSet* set = &signals)
        {
            return SignalMask(Block, set, null) == 0;
        }
    }

    /// <summary>Waits until one of the signals is sent to the calling thread.</summary>
    /// <returns>
    /// The signal, and in <paramref name="file"/> the descriptor that it is about; 0 when the wait was interrupted.
    /// </returns>
    public static int Wait(in SignalSet signals, out int file)
    {
        SignalInfo info;
        fixed (SignalSet* set = &signals)
        {
            int signal = SignalWaitInfo(set, &info);
            file = info.File;
            return Math.Max(0, signal);
        }
    }

    [LibraryImport("libc", EntryPoint = "__libc_current_sigrtmin")]
    private static partial int RealTimeMinimum();

    [LibraryImport("libc", EntryPoint = "sigaction")]
    private static partial int SignalAction(int signal, Disposition* action, Disposition* old);

    [LibraryImport("libc", EntryPoint = "pthread_sigmask")]
    private static partial int SignalMask(int how, SignalSet* set, SignalSet* old);

    [LibraryImport("libc", EntryPoint = "sigwaitinfo", SetLastError = true)]
    private static partial int SignalWaitInfo(SignalSet* set, SignalInfo* info);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number);

    /// <summary>sigset_t: 1,024 bits in both glibc and musl, of which the kernel knows 64.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 128)]
    public struct SignalSet
    {
        private ulong _bits;

        public void Add(int signal) => _bits |= 1UL << (signal - 1);
    }

    [StructLayout(LayoutKind.Sequential, Size = 256)]
    private struct Disposition
    {
        public nint Handler;
    }

    /// <summary>siginfo_t as filled in for SIGPOLL: si_band at 16, si_fd at 24.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 128)]
    private struct SignalInfo
    {
        [FieldOffset(24)]
        public int File;
    }
}
