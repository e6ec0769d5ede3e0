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
        "geteuid", "getrlimit", "getxattr", "linkat", "lseek", "madvise", "mmap", "munmap", "open", "openat", "poll", "posix_fadvise", "pread",
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

/// <summary>
/// Numbers of the system calls that not every C library wraps: musl has neither statx nor preadv2 before 1.2.4 and 1.2.5, and no
/// renameat2. Called by number, they work with every C library. Source: asm/unistd_64.h (x64), asm-generic/unistd.h (arm64).
/// </summary>
internal static class SystemCallNumber
{
    public static readonly ByProcessor GetThread = new(186, 178);
    public static readonly ByProcessor PreadV2 = new(327, 286);
    public static readonly ByProcessor PWriteV2 = new(328, 287);
    public static readonly ByProcessor RenameAt2 = new(316, 276);
    public static readonly ByProcessor StatX = new(332, 291);

    /// <summary>Whether the numbers are those of this processor.</summary>
    public static bool AreKnown => RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;
}

/// <summary>The Linux error numbers that are distinguished here. Source: asm-generic/errno-base.h and errno.h.</summary>
/// <remarks>Up to 34, all but EAGAIN are the same on macOS; <see cref="FromMac"/> translates the rest.</remarks>
internal static class Errno
{
    public const int NotPermitted = 1; // EPERM
    public const int NoEntry = 2; // ENOENT
    public const int Interrupted = 4; // EINTR
    public const int InputOutput = 5; // EIO
    public const int NoSuchAddress = 6; // ENXIO
    public const int BadDescriptor = 9; // EBADF
    public const int Again = 11; // EAGAIN
    public const int AccessDenied = 13; // EACCES
    public const int BadAddress = 14; // EFAULT
    public const int Busy = 16; // EBUSY
    public const int Exists = 17; // EEXIST
    public const int CrossDevice = 18; // EXDEV
    public const int NotDirectory = 20; // ENOTDIR
    public const int IsDirectory = 21; // EISDIR
    public const int InvalidArgument = 22; // EINVAL
    public const int FileTooLarge = 27; // EFBIG
    public const int NoSpace = 28; // ENOSPC
    public const int ReadOnlyFileSystem = 30; // EROFS
    public const int Deadlock = 35; // EDEADLK
    public const int NameTooLong = 36; // ENAMETOOLONG
    public const int NoSystemCall = 38; // ENOSYS
    public const int NotEmpty = 39; // ENOTEMPTY
    public const int TooManyLinks = 40; // ELOOP
    public const int NotSupported = 95; // EOPNOTSUPP
    public const int QuotaExceeded = 122; // EDQUOT

    /// <summary>The Linux number for a framework error: on Unix, its HResult is the system's own number.</summary>
    public static int Of(Exception exception) =>
        OperatingSystem.IsMacOS() ? FromMac(exception.HResult) : exception.HResult;

    /// <summary>The number of Linux for one of macOS. Source: sys/errno.h of XNU.</summary>
    public static int FromMac(int error) => error switch
    {
        11 => Deadlock,
        35 => Again,
        45 or 102 => NotSupported, // ENOTSUP and EOPNOTSUPP
        62 => TooManyLinks,
        63 => NameTooLong,
        66 => NotEmpty,
        69 => QuotaExceeded,
        78 => NoSystemCall,
        > 34 => 0, // another error of macOS, whose number means something else here; up to 34 both systems agree
        _ => error,
    };
}
