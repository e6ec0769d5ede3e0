using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Copying from file to file without the bytes coming to this process.
/// https://man7.org/linux/man-pages/man2/copy_file_range.2.html, ioctl_ficlone.2.html
/// </summary>
internal static unsafe partial class KernelCopy
{
    private const nuint Clone = 0x40049409; // FICLONE: _IOW(0x94, 9, int), the same on x64 and Arm64

    private static readonly bool CanShare = NativeFeatures.HasFunction("ioctl");
    private static readonly bool CanCopy = NativeFeatures.HasFunction("copy_file_range");

    /// <summary>Makes a file, which should be empty, share all blocks of another.</summary>
    /// <returns>0, or the error number: EOPNOTSUPP, EXDEV, EINVAL or ENOTTY where the file system cannot.</returns>
    public static int Share(SafeFileHandle source, SafeFileHandle destination)
    {
        if (!CanShare)
        {
            return Errno.NotSupported;
        }

        bool added = false;
        try
        {
            source.DangerousAddRef(ref added);
            while (IoCtl(destination, Clone, source.DangerousGetHandle()) != 0)
            {
                int error = Marshal.GetLastPInvokeError();
                if (error != Errno.Interrupted)
                {
                    return error;
                }
            }

            return 0;
        }
        finally
        {
            if (added)
            {
                source.DangerousRelease();
            }
        }
    }

    /// <summary>Copies a part, on the calling thread. Neither file's own position is used or moved.</summary>
    public static int Range(
        SafeFileHandle source, long from, SafeFileHandle destination, long to, long bytes, out long copied)
    {
        copied = 0;
        if (!CanCopy)
        {
            return Errno.NoSystemCall;
        }

        while (copied < bytes)
        {
            long readAt = from + copied;
            long writeAt = to + copied;
            nint done = CopyFileRange(source, &readAt, destination, &writeAt, (nuint)(bytes - copied), 0);
            if (done == 0)
            {
                return 0;
            }

            if (done > 0)
            {
                copied += done;
                continue;
            }

            int error = Marshal.GetLastPInvokeError();
            if (error != Errno.Interrupted)
            {
                return error;
            }
        }

        return 0;
    }

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    private static partial int IoCtl(SafeFileHandle file, nuint request, nint argument);

    [LibraryImport("libc", EntryPoint = "copy_file_range", SetLastError = true)]
    private static partial nint CopyFileRange(
        SafeFileHandle source, long* from, SafeFileHandle destination, long* to, nuint bytes, uint flags);
}
