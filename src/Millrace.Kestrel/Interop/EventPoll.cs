using System.Net.Sockets;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Kestrel.Interop;

/// <summary>epoll(7): which of many sockets can be received from or sent to. Linux.</summary>
internal static unsafe partial class EventPoll
{
    // sys/epoll.h
    private const int CloseOnExec = 0x80000; // EPOLL_CLOEXEC
    private const int Add = 1; // EPOLL_CTL_ADD
    private const int Modify = 3; // EPOLL_CTL_MOD

    public const uint In = 0x1; // EPOLLIN
    public const uint Urgent = 0x2; // EPOLLPRI
    public const uint Out = 0x4; // EPOLLOUT
    public const uint Error = 0x8; // EPOLLERR
    public const uint HangUp = 0x10; // EPOLLHUP
    public const uint PeerEnded = 0x2000; // EPOLLRDHUP
    public const uint Edge = 0x80000000; // EPOLLET

    // struct epoll_event is packed on x64.
    private static readonly ByProcessor Size = new(12, 16);
    private static readonly ByProcessor DataAt = new(4, 8);

    /// <summary>Bytes of one event.</summary>
    public static readonly int EventBytes = Size.Here;

    private static readonly int DataOffset = DataAt.Here;

    /// <summary>False where the framework has to wait for sockets.</summary>
    public static bool IsAvailable { get; } = NativeFeatures.Linux
        && NativeFeatures.HasFunction("epoll_create1") && NativeFeatures.HasFunction("epoll_ctl") && NativeFeatures.HasFunction("epoll_wait");

    /// <exception cref="IOException">The system refused it.</exception>
    public static SafeFileHandle Create()
    {
        SafeFileHandle poll = EPollCreate(CloseOnExec);
        return poll.IsInvalid ? throw Refused() : poll;
    }

    /// <summary>Has a socket watched from now on; closing it ends that.</summary>
    /// <param name="poll">From <see cref="Create"/>.</param>
    /// <param name="socket">The socket.</param>
    /// <param name="events">What is reported. Errors and hang-ups always are.</param>
    /// <param name="data">What an event of this socket has as its data.</param>
    /// <param name="isNew">False to replace what was watched; whatever is the case then is reported.</param>
    /// <exception cref="IOException">The system refused it.</exception>
    public static void Watch(SafeFileHandle poll, SafeSocketHandle socket, uint events, int data, bool isNew)
    {
        byte* change = stackalloc byte[EventBytes];
        *(uint*)change = events;
        *(long*)(change + DataOffset) = data;
        if (EPollControl(poll, isNew ? Add : Modify, socket, change) != 0)
        {
            throw Refused();
        }
    }

    /// <summary>Waits for events.</summary>
    /// <returns>How many there are in <paramref name="events"/>; 0 if a signal interrupted it.</returns>
    public static int Wait(SafeFileHandle poll, byte* events, int max) => Math.Max(EPollWait(poll, events, max, -1), 0);

    public static uint Events(byte* events, int index) => *(uint*)(events + (index * EventBytes));

    public static int Data(byte* events, int index) => *(int*)(events + (index * EventBytes) + DataOffset);

    private static IOException Refused() => new($"The system cannot watch another socket: {Marshal.GetLastPInvokeErrorMessage()}.");

    // https://man7.org/linux/man-pages/man2/epoll_create.2.html
    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    private static partial SafeFileHandle EPollCreate(int flags);

    // https://man7.org/linux/man-pages/man2/epoll_ctl.2.html
    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    private static partial int EPollControl(SafeFileHandle poll, int operation, SafeSocketHandle socket, byte* change);

    // https://man7.org/linux/man-pages/man2/epoll_wait.2.html
    [LibraryImport("libc", EntryPoint = "epoll_wait")]
    private static partial int EPollWait(SafeFileHandle poll, byte* events, int max, int milliseconds);
}
