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
