using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// <c>writev(2)</c> to a file opened with O_APPEND: the end of the file is found and the bytes are put there in one
/// step. https://man7.org/linux/man-pages/man2/writev.2.html, lseek.2.html
/// </summary>
internal static unsafe partial class AppendingWrite
{
    /// <summary>Most pieces of memory in one call: IOV_MAX of linux/limits.h.</summary>
    private const int MaxVectors = 1024;

    private const int FromCurrent = 1; // SEEK_CUR

    public static int Write(
        SafeFileHandle file, MemoryVector* vectors, int count, out long begin, out long written)
    {
        begin = 0;
        written = 0;
        while (count > 0)
        {
            nint done = WriteV(file, vectors, Math.Min(count, MaxVectors));
            if (done <= 0)
            {
                int error = done == 0 ? Errno.InputOutput : Marshal.GetLastPInvokeError();
                if (error == Errno.Interrupted)
                {
                    continue;
                }

                return error;
            }

            if (written == 0)
            {
                // The position that an appending write leaves is the end of its bytes, even if others append.
                begin = LSeek(file, 0, FromCurrent) - done;
            }

            written += done;
            Skip(ref vectors, ref count, done);
        }

        return 0;
    }

    private static void Skip(ref MemoryVector* vectors, ref int count, nint bytes)
    {
        while (count > 0 && bytes >= (nint)vectors->Length)
        {
            bytes -= (nint)vectors->Length;
            vectors++;
            count--;
        }

        if (bytes > 0)
        {
            vectors->Base += bytes;
            vectors->Length -= (nuint)bytes;
        }
    }

    [LibraryImport("libc", EntryPoint = "writev", SetLastError = true)]
    private static partial nint WriteV(SafeFileHandle file, MemoryVector* vectors, int count);

    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    private static partial long LSeek(SafeFileHandle file, long offset, int whence);
}
