namespace Millrace.Interop;

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
