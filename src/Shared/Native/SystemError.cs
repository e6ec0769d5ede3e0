using System.Runtime.InteropServices;

namespace Millrace.Interop;

/// <summary>Turns error numbers and the framework's exceptions into the library's words for them.</summary>
internal static class SystemError
{
    // What Windows calls the same (winerror.h), as .NET puts it into an HResult.
    private const int WindowsSharing = unchecked((int)0x80070020);
    private const int WindowsLocked = unchecked((int)0x80070021);
    private const int WindowsFileExists = unchecked((int)0x80070050);
    private const int WindowsAlreadyExists = unchecked((int)0x800700B7);
    private const int WindowsDiskFull = unchecked((int)0x80070070);
    private const int WindowsHandleDiskFull = unchecked((int)0x80070027);
    private const int WindowsWriteProtected = unchecked((int)0x80070013);
    private const int WindowsFileTooLarge = unchecked((int)0x800700DF);
    private const int WindowsNameTooLong = unchecked((int)0x800700CE);

    public static FilePipeError Kind(int error, FilePipeError otherwise) => error switch
    {
        Errno.NoSpace => FilePipeError.NoSpace,
        Errno.Again => FilePipeError.Sharing,
        Errno.QuotaExceeded => FilePipeError.QuotaExceeded,
        Errno.FileTooLarge => FilePipeError.FileTooLarge,
        Errno.Exists => FilePipeError.NameTaken,
        Errno.NameTooLong => FilePipeError.NameTooLong,
        Errno.ReadOnlyFileSystem => FilePipeError.ReadOnly,
        Errno.CrossDevice or Errno.Busy => FilePipeError.CrossDevice,
        Errno.NoEntry or Errno.NotDirectory => FilePipeError.NotFound,
        Errno.IsDirectory => FilePipeError.IsDirectory,
        Errno.AccessDenied or Errno.NotPermitted => FilePipeError.AccessDenied,
        _ => otherwise,
    };

    /// <summary>The same for a framework exception.</summary>
    public static FilePipeError Kind(Exception exception, FilePipeError otherwise) => exception switch
    {
        PathTooLongException => FilePipeError.NameTooLong,
        FileNotFoundException or DirectoryNotFoundException => FilePipeError.NotFound,
        UnauthorizedAccessException => exception.InnerException is IOException inner
            ? Kind(inner.HResult, FilePipeError.AccessDenied)
            : FilePipeError.AccessDenied,
        _ => exception.HResult switch
        {
            WindowsSharing or WindowsLocked => FilePipeError.Sharing,
            WindowsFileExists or WindowsAlreadyExists => FilePipeError.NameTaken,
            WindowsDiskFull or WindowsHandleDiskFull => FilePipeError.NoSpace,
            WindowsWriteProtected => FilePipeError.ReadOnly,
            WindowsFileTooLarge => FilePipeError.FileTooLarge,
            WindowsNameTooLong => FilePipeError.NameTooLong,

            _ => OperatingSystem.IsWindows() ? otherwise : Kind(Errno.Of(exception), otherwise),
        },
    };

    /// <summary>Whether another process holds the file.</summary>
    public static bool IsSharing(Exception exception) => Kind(exception, FilePipeError.Failed) == FilePipeError.Sharing;

    /// <summary>The system's own error as an exception to be carried inside ours.</summary>
    public static IOException Exception(int error) => new(Marshal.GetPInvokeErrorMessage(error), error);
}
