using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// <c>pwrite(2)</c> and <c>pwritev(2)</c>: the gathered and the caller's bytes, in one call and without joining them.
/// https://man7.org/linux/man-pages/man2/pwritev.2.html
/// </summary>
internal static unsafe partial class PositionalWrite
{
    public static int Write(
        SafeFileHandle file, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, long offset, out long written)
    {
        if (first.IsEmpty || second.IsEmpty)
        {
            return Write(file, first.IsEmpty ? second : first, offset, out written);
        }

        written = 0;
        long total = (long)first.Length + second.Length;
        MemoryVector* vectors = stackalloc MemoryVector[2];
        fixed (byte* a = first)
        {
            fixed (byte* b = second)
            {
                while (written < total)
                {
                    int fromFirst = (int)Math.Min(written, first.Length);
                    int fromSecond = (int)(written - fromFirst);
                    int count = 0;
                    if (fromFirst < first.Length)
                    {
                        vectors[count++] = new MemoryVector { Base = a + fromFirst, Length = (nuint)(first.Length - fromFirst) };
                    }

                    if (fromSecond < second.Length)
                    {
                        vectors[count++] = new MemoryVector { Base = b + fromSecond, Length = (nuint)(second.Length - fromSecond) };
                    }

                    nint done = PWriteV(file, vectors, count, offset + written);
                    if (done > 0)
                    {
                        written += done;
                        continue;
                    }

                    int error = done == 0 ? Errno.InputOutput : Marshal.GetLastPInvokeError();
                    if (error != Errno.Interrupted)
                    {
                        return error;
                    }
                }
            }
        }

        return 0;
    }

    // One piece is not worth a vector: 128 MiB in pieces of 4 KiB took 58.8 ms by pwritev and 56.9 by pwrite, in C.
    private static int Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset, out long written)
    {
        written = 0;
        fixed (byte* start = bytes)
        {
            while (written < bytes.Length)
            {
                nint done = PWrite(file, start + written, bytes.Length - (nint)written, offset + written);
                if (done > 0)
                {
                    written += done;
                    continue;
                }

                int error = done == 0 ? Errno.InputOutput : Marshal.GetLastPInvokeError();
                if (error != Errno.Interrupted)
                {
                    return error;
                }
            }
        }

        return 0;
    }

    [LibraryImport("libc", EntryPoint = "pwrite", SetLastError = true)]
    private static partial nint PWrite(SafeFileHandle file, byte* bytes, nint count, long offset);

    [LibraryImport("libc", EntryPoint = "pwritev", SetLastError = true)]
    private static partial nint PWriteV(SafeFileHandle file, MemoryVector* vectors, int count, long offset);
}
