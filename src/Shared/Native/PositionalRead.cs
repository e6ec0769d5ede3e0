using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// <c>preadv2(2)</c>: a positional read that can refuse to wait. https://man7.org/linux/man-pages/man2/preadv2.2.html
/// </summary>
internal static unsafe partial class PositionalRead
{
    /// <summary>Answer with EAGAIN instead of waiting for the device. Linux 4.14; value from linux/fs.h.</summary>
    private const int NoWait = 0x00000008;

    /// <summary>
    /// Take the pages that this call brings into the page cache out of it again; those of others stay. Linux 6.14; value from linux/fs.h.
    /// </summary>
    private const int DontCache = 0x00000080;

    private static readonly bool Can = NativeFeatures.HasCall("preadv2");

    /// <summary>
    /// Reads bytes that are in the page cache.
    /// </summary>
    /// <returns>Bytes read; 0 at the end of the file; the negated error number, -EAGAIN when the device is needed.</returns>
    public static int ReadCached(SafeFileHandle file, byte* buffer, int bytes, long offset, bool dontCache = false) =>
        Read(file, buffer, bytes, offset, dontCache ? NoWait | DontCache : NoWait);

    /// <returns>Bytes read; 0 at the end of the file; the negated error number, -EOPNOTSUPP without <c>RWF_DONTCACHE</c>.</returns>
    public static int ReadWaiting(SafeFileHandle file, byte* buffer, int bytes, long offset, bool dontCache = false)
    {
        if (dontCache)
        {
            return Read(file, buffer, bytes, offset, DontCache);
        }

        // Without a vector for the kernel to copy first: 0.36 µs instead of 0.39 for 1 KiB, in C.
        while (true)
        {
            nint read = PRead(file, buffer, bytes, offset);
            if (read >= 0)
            {
                return (int)read;
            }

            int error = Marshal.GetLastPInvokeError();
            if (error != Errno.Interrupted)
            {
                return -error;
            }
        }
    }

    private static int Read(SafeFileHandle file, byte* buffer, int bytes, long offset, int flags)
    {
        if (!Can)
        {
            return -Errno.NoSystemCall;
        }

        var vector = new MemoryVector { Base = buffer, Length = (nuint)bytes };
        while (true)
        {
            nint read = PreadV2(SystemCallNumber.PreadV2.Here, file, &vector, 1, (nint)offset, 0, flags);
            if (read >= 0)
            {
                return (int)read;
            }

            int error = Marshal.GetLastPInvokeError();
            if (error != Errno.Interrupted)
            {
                return -error;
            }
        }
    }

    // https://man7.org/linux/man-pages/man2/pread.2.html
    [LibraryImport("libc", EntryPoint = "pread", SetLastError = true)]
    private static partial nint PRead(SafeFileHandle file, byte* buffer, nint bytes, long offset);

    // The kernel takes the offset as two words, of which a 64-bit one uses the first.
    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint PreadV2(
        nint number, SafeFileHandle file, MemoryVector* vectors, nint count, nint offset, nint upperOffset, nint flags);
}

/// <summary>struct iovec of sys/uio.h: a piece of memory that one call takes with others.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct MemoryVector
{
    public byte* Base;
    public nuint Length;
}
