namespace Millrace.Interop;

/// <summary>The error numbers of Linux that are told apart here. Source: asm-generic/errno-base.h and errno.h.</summary>
internal static class Errno
{
    public const int NotPermitted = 1; // EPERM
    public const int NoEntry = 2; // ENOENT
    public const int Interrupted = 4; // EINTR
    public const int InputOutput = 5; // EIO
    public const int NoSuchAddress = 6; // ENXIO
    public const int Again = 11; // EAGAIN
    public const int AccessDenied = 13; // EACCES
    public const int Busy = 16; // EBUSY
    public const int Exists = 17; // EEXIST
    public const int CrossDevice = 18; // EXDEV
    public const int NotDirectory = 20; // ENOTDIR
    public const int IsDirectory = 21; // EISDIR
    public const int InvalidArgument = 22; // EINVAL
    public const int FileTooLarge = 27; // EFBIG
    public const int NoSpace = 28; // ENOSPC
    public const int ReadOnlyFileSystem = 30; // EROFS
    public const int NameTooLong = 36; // ENAMETOOLONG
    public const int NoSystemCall = 38; // ENOSYS
    public const int TooManyLinks = 40; // ELOOP
    public const int NotSupported = 95; // EOPNOTSUPP
    public const int QuotaExceeded = 122; // EDQUOT
}
