using System.Runtime.InteropServices;

namespace Millrace.Interop;

/// <summary>Which native calls may be used at all. Whether one works is probed where it is called.</summary>
internal static class NativeFeatures
{
    public const string PortableVariable = "MILLRACE_PORTABLE";

    /// <summary>
    /// Functions of the C library, and system calls, that are treated as if they were missing: names with commas between them, or
    /// <c>all</c>. For tests; the runtime setting is <c>Millrace.Missing</c>.
    /// </summary>
    public const string MissingVariable = "MILLRACE_MISSING";

    /// <summary>Without one of these, nothing native is used.</summary>
    private static readonly string[] Needed =
    [
        "fchmod", "fchown", "fdatasync", "fgetxattr", "flock", "fremovexattr", "fsetxattr", "fstatfs", "fsync", "ftruncate", "futimens",
        "geteuid", "getrlimit", "getxattr", "linkat", "lseek", "madvise", "mmap", "munmap", "open", "openat", "poll", "posix_fadvise",
        "pwrite", "pwritev", "read", "renameat", "syscall", "unlink", "unlinkat", "writev",
    ];

    private static readonly string[] NeededToMap =
    [
        "__libc_current_sigrtmin", "epoll_ctl", "fcntl", "mincore", "mremap", "pthread_sigmask", "sigaction", "sigwaitinfo",
    ];

    private static readonly string[] Missing =
        (Environment.GetEnvironmentVariable(MissingVariable) ?? AppContext.GetData("Millrace.Missing") as string ?? "").Split(',');

    /// <summary>
    /// False on systems other than Linux on x64 and arm64, where one of the functions is missing, and where
    /// <see cref="PortableVariable"/> or the runtime switch <c>Millrace.Portable</c> is set.
    /// </summary>
    public static bool Linux { get; } = OperatingSystem.IsLinux() && SystemCallNumber.AreKnown
        && !Forced(PortableVariable, "Millrace.Portable") && Array.TrueForAll(Needed, HasFunction) && HasCall("statx");

    /// <summary>False where <c>MILLRACE_NO_MAPPING=1</c> or the runtime switch <c>Millrace.NoMapping</c> keeps mapping out.</summary>
    public static bool Mapping { get; } = Linux
        && !Forced("MILLRACE_NO_MAPPING", "Millrace.NoMapping") && Array.TrueForAll(NeededToMap, HasFunction) && HasCall("gettid");

    /// <summary>False where <c>MILLRACE_NO_IO_URING=1</c> or the runtime switch <c>Millrace.NoIoUring</c> keeps io_uring out.</summary>
    public static bool IoUring { get; } = Linux && !Forced("MILLRACE_NO_IO_URING", "Millrace.NoIoUring")
        && HasFunction("eventfd") && HasFunction("write") && HasCall("io_uring_setup") && HasCall("io_uring_enter");

    /// <summary>Whether the C library has a function: to be asked before calling what not every one of them has.</summary>
    public static bool HasFunction(string name) =>
        HasCall(name) && NativeLibrary.TryGetExport(NativeLibrary.GetMainProgramHandle(), name, out _);

    /// <summary>Whether a system call may be made by its number; the kernel answers ENOSYS to unknown ones.</summary>
    public static bool HasCall(string name) => !Missing.AsSpan().Contains(name) && !Missing.AsSpan().Contains("all");

    private static bool Forced(string variable, string runtimeSwitch) =>
        Environment.GetEnvironmentVariable(variable) is "1" or "true"
        || (AppContext.TryGetSwitch(runtimeSwitch, out bool set) && set);
}
