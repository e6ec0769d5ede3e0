using System.Net.Sockets;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Kestrel.Interop;

/// <summary>Sends memory and files on a socket that does not block. Linux; repeats calls that a signal interrupted.</summary>
internal static unsafe partial class SocketSend
{
    // sys/socket.h
    private const int NoWait = 0x40; // MSG_DONTWAIT
    private const int NoSignal = 0x4000; // MSG_NOSIGNAL
    private const int MoreFollows = 0x8000; // MSG_MORE
    private const int Tcp = 6; // IPPROTO_TCP
    private const int CorkOption = 3; // TCP_CORK

    /// <summary>The limit of one call of sendfile(2), in bytes.</summary>
    private const long MaxBytesAtOnce = 0x7ffff000;

    /// <summary>How often sendfile(2) was called; tests look at it.</summary>
    private static long s_fileCalls;

    [ThreadStatic]
    private static long t_fileCalls;

    /// <summary>False where the sockets of .NET have to send.</summary>
    public static bool IsAvailable { get; } =
        NativeFeatures.Linux && NativeFeatures.HasFunction("sendmsg") && NativeFeatures.HasFunction("sendfile");

    public static long FileCalls => Interlocked.Read(ref s_fileCalls);

    /// <summary>The same for the calling thread.</summary>
    public static long FileCallsHere => t_fileCalls;

    /// <param name="socket">A socket.</param>
    /// <param name="vectors">Where the bytes are.</param>
    /// <param name="count">How many vectors.</param>
    /// <param name="more">Whether a file follows, so that its first bytes share a packet with these.</param>
    /// <returns>Bytes sent, or the negative error number.</returns>
    public static long Send(SafeSocketHandle socket, Vector* vectors, int count, bool more)
    {
        var message = new Message { Vectors = vectors, Count = (nuint)count };
        while (true)
        {
            nint sent = SendMessage(socket, &message, NoWait | NoSignal | (more ? MoreFollows : 0));
            if (sent >= 0)
            {
                return sent;
            }

            int error = Marshal.GetLastPInvokeError();
            if (error != Errno.Interrupted)
            {
                return -error;
            }
        }
    }

    /// <returns>Bytes sent, 0 at the end of the file, or the negative error number.</returns>
    public static long SendFile(SafeSocketHandle socket, SafeFileHandle file, long offset, long count)
    {
        Interlocked.Increment(ref s_fileCalls);
        t_fileCalls++;
        while (true)
        {
            long position = offset;
            nint sent = SendFile(socket, file, &position, (nuint)Math.Min(count, MaxBytesAtOnce));
            if (sent >= 0)
            {
                return sent;
            }

            int error = Marshal.GetLastPInvokeError();
            if (error != Errno.Interrupted)
            {
                return -error;
            }
        }
    }

    /// <summary>Has TCP send only full packets until this is ended; a socket of another protocol refuses it.</summary>
    public static void Cork(SafeSocketHandle socket, bool begins)
    {
        int value = begins ? 1 : 0;
        _ = SetOption(socket, Tcp, CorkOption, &value, sizeof(int));
    }

    // https://man7.org/linux/man-pages/man7/tcp.7.html
    [LibraryImport("libc", EntryPoint = "setsockopt")]
    private static partial int SetOption(SafeSocketHandle socket, int level, int option, int* value, uint bytes);

    // https://man7.org/linux/man-pages/man2/sendmsg.2.html
    [LibraryImport("libc", EntryPoint = "sendmsg", SetLastError = true)]
    private static partial nint SendMessage(SafeSocketHandle socket, Message* message, int flags);

    // https://man7.org/linux/man-pages/man2/sendfile.2.html
    [LibraryImport("libc", EntryPoint = "sendfile", SetLastError = true)]
    private static partial nint SendFile(SafeSocketHandle socket, SafeFileHandle file, long* offset, nuint count);

    /// <summary>struct iovec</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct Vector
    {
        public byte* Start;
        public nuint Bytes;
    }

    /// <summary>struct msghdr; musl's narrower counts have padding where these have zeros.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Message
    {
        public void* Name;
        public uint NameBytes;
        public Vector* Vectors;
        public nuint Count;
        public void* Control;
        public nuint ControlBytes;
        public int Flags;
    }
}
