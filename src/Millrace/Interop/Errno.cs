namespace Millrace.Interop;

/// <summary>The error numbers of Linux that are told apart here. Source: asm-generic/errno-base.h and errno.h.</summary>
internal static class Errno
{
    public const int Interrupted = 4; // EINTR
    public const int Again = 11; // EAGAIN
    public const int AccessDenied = 13; // EACCES
    public const int Busy = 16; // EBUSY
    public const int InvalidArgument = 22; // EINVAL
    public const int NotSupported = 95; // EOPNOTSUPP
}
