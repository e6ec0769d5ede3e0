using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// <c>read(2)</c> and <c>poll(2)</c> for files without positions, whose bytes may never come.
/// https://man7.org/linux/man-pages/man2/poll.2.html
/// </summary>
internal static unsafe partial class StreamRead
{
    private const short Readable = 0x0001; // POLLIN

    /// <summary>Waits until a read would not, or a time has passed.</summary>
    /// <returns>False when the time has passed. Errors and hang-ups count as readable: the read reports them.</returns>
    public static bool WaitReadable(SafeFileHandle file, TimeSpan atMost)
    {
        bool added = false;
        try
        {
            file.DangerousAddRef(ref added);
            var poll = new PollDescriptor { File = (int)file.DangerousGetHandle(), Events = Readable };
            int ready = Poll(&poll, 1, (int)atMost.TotalMilliseconds);
            return ready > 0 || (ready < 0 && Marshal.GetLastPInvokeError() != Errno.Interrupted);
        }
        finally
        {
            if (added)
            {
                file.DangerousRelease();
            }
        }
    }

    public static int Read(SafeFileHandle file, Span<byte> buffer)
    {
        fixed (byte* bytes = buffer)
        {
            while (true)
            {
                nint read = Read(file, bytes, (nuint)buffer.Length);
                if (read >= 0)
                {
                    return (int)read;
                }

                int error = Marshal.GetLastPInvokeError();
                if (error == Errno.Again)
                {
                    // A handle that was opened with O_NONBLOCK.
                    _ = WaitReadable(file, TimeSpan.FromSeconds(1));
                }
                else if (error != Errno.Interrupted)
                {
                    throw new IOException(Marshal.GetPInvokeErrorMessage(error), error);
                }
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    private static partial int Poll(PollDescriptor* descriptors, nuint count, int timeoutMilliseconds);

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    private static partial nint Read(SafeFileHandle file, byte* buffer, nuint bytes);

    [StructLayout(LayoutKind.Sequential)]
    private struct PollDescriptor
    {
        public int File;
        public short Events;
        public short Returned;
    }
}

/// <summary>
/// <c>pwrite(2)</c> and <c>pwritev(2)</c>: the gathered and the caller's bytes, in one call and without joining them.
/// https://man7.org/linux/man-pages/man2/pwritev.2.html
/// </summary>
internal static unsafe partial class PositionalWrite
{
    /// <summary>Take the pages out of the page cache when they were written to the device. Linux 6.14; value from linux/fs.h.</summary>
    private const int DontCache = 0x00000080;

    /// <param name="file">The file.</param>
    /// <param name="first">Bytes to write.</param>
    /// <param name="second">Bytes that follow them.</param>
    /// <param name="offset">Where they go, in bytes.</param>
    /// <param name="written">How many of them were written.</param>
    /// <param name="dontCache">By <c>pwritev2</c> with <c>RWF_DONTCACHE</c>, which has to be known to work.</param>
    /// <returns>0, or the error number.</returns>
    public static int Write(
        SafeFileHandle file, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, long offset, out long written, bool dontCache = false)
    {
        if (!dontCache && (first.IsEmpty || second.IsEmpty))
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

                    nint done = dontCache
                        ? PWriteV2(SystemCallNumber.PWriteV2.Here, file, vectors, count, (nint)(offset + written), 0, DontCache)
                        : PWriteV(file, vectors, count, offset + written);
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

    // The kernel takes the offset as two words, of which a 64-bit one uses the first.
    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint PWriteV2(
        nint number, SafeFileHandle file, MemoryVector* vectors, nint count, nint offset, nint upperOffset, nint flags);

    [LibraryImport("libc", EntryPoint = "pwritev", SetLastError = true)]
    private static partial nint PWriteV(SafeFileHandle file, MemoryVector* vectors, int count, long offset);
}

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

/// <summary>
/// The process' limit on the length of files (<c>ulimit -f</c>). A write beyond it raises SIGXFSZ, which ends the process
/// unless the signal is handled; then the write fails with EFBIG. https://man7.org/linux/man-pages/man2/getrlimit.2.html
/// </summary>
internal static partial class FileSizeLimit
{
    private const int LimitFileSize = 1; // RLIMIT_FSIZE
    private const int SignalFileSize = 25; // SIGXFSZ, of Linux and of macOS

    private static readonly Lazy<PosixSignalRegistration?> Registration = new(Register);

    /// <summary>Sees to it that a process with such a limit gets an error and not a signal.</summary>
    public static void Prepare() => _ = Registration.Value;

    private static PosixSignalRegistration? Register()
    {
        if (OperatingSystem.IsWindows())
        {
            return null;
        }

        if (NativeFeatures.Linux && (GetRLimit(LimitFileSize, out Limit limit) != 0 || limit.Soft == nuint.MaxValue))
        {
            // A process' signals are not handled without need; where the limit is not known there may be one.
            return null;
        }

        return PosixSignalRegistration.Create((PosixSignal)SignalFileSize, static context => context.Cancel = true);
    }

    [LibraryImport("libc", EntryPoint = "getrlimit", SetLastError = true)]
    private static partial int GetRLimit(int resource, out Limit limit);

    [StructLayout(LayoutKind.Sequential)]
    private struct Limit
    {
        public nuint Soft;
        public nuint Hard;
    }
}
