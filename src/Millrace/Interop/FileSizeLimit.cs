using System.Runtime.InteropServices;

namespace Millrace.Interop;

/// <summary>
/// The process' limit on the length of files (<c>ulimit -f</c>). A write beyond it raises SIGXFSZ, which ends the process
/// unless the signal is handled; then the write fails with EFBIG. https://man7.org/linux/man-pages/man2/getrlimit.2.html
/// </summary>
internal static partial class FileSizeLimit
{
    private const int LimitFileSize = 1; // RLIMIT_FSIZE
    private const int SignalFileSize = 25; // SIGXFSZ, of Linux and of macOS

    private static readonly Lazy<PosixSignalRegistration?> Registration = new(Register);

    /// <summary>Sees to it that a process with such a limit gets an error and not a signal.</summary>
    public static void Prepare() => _ = Registration.Value;

    private static PosixSignalRegistration? Register()
    {
        if (OperatingSystem.IsWindows())
        {
            return null;
        }

        if (NativeFeatures.Linux && (GetRLimit(LimitFileSize, out Limit limit) != 0 || limit.Soft == nuint.MaxValue))
        {
            // A process' signals are not handled without need; where the limit is not known there may be one.
            return null;
        }

        return PosixSignalRegistration.Create((PosixSignal)SignalFileSize, static context => context.Cancel = true);
    }

    [LibraryImport("libc", EntryPoint = "getrlimit", SetLastError = true)]
    private static partial int GetRLimit(int resource, out Limit limit);

    [StructLayout(LayoutKind.Sequential)]
    private struct Limit
    {
        public nuint Soft;
        public nuint Hard;
    }
}
