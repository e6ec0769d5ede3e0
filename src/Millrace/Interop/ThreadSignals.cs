using System.Runtime.InteropServices;

namespace Millrace.Interop;

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
