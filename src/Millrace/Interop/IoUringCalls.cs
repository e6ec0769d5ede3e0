using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// The system calls of io_uring, which libc does not wrap, and the structures they share with the kernel
/// (linux/io_uring.h). https://man7.org/linux/man-pages/man7/io_uring.7.html
/// </summary>
internal static unsafe partial class IoUringCalls
{
    /// <summary>One thread submits and waits, and completions are worked off where it waits. Linux 6.1.</summary>
    public const uint SingleIssuerDeferred = (1u << 12) | (1u << 13); // IORING_SETUP_SINGLE_ISSUER | DEFER_TASKRUN

    /// <summary>Both rings in one mapping (5.4), and a read at an offset as one operation (5.6).</summary>
    public const uint NeededFeatures = (1u << 0) | (1u << 3); // IORING_FEAT_SINGLE_MMAP | RW_CUR_POS

    public const byte ReadOperation = 22; // IORING_OP_READ

    private const nint SetupNumber = 425; // the same on every processor
    private const nint EnterNumber = 426;
    private const uint GetEvents = 1; // IORING_ENTER_GETEVENTS
    private const long RingOffset = 0; // IORING_OFF_SQ_RING
    private const long EntriesOffset = 0x10000000; // IORING_OFF_SQES
    private const int ReadWrite = 3; // PROT_READ | PROT_WRITE
    private const int SharedPopulated = 0x8001; // MAP_SHARED | MAP_POPULATE
    private const int EventCloseOnExec = 0x80000; // EFD_CLOEXEC

    /// <returns>The ring, or null with the error number.</returns>
    public static SafeFileHandle? Setup(uint entries, ref Parameters parameters, out int error)
    {
        fixed (Parameters* pointer = &parameters)
        {
            nint descriptor = Syscall(SetupNumber, (nint)entries, (nint)pointer, 0, 0, 0, 0);
            error = descriptor < 0 ? Marshal.GetLastPInvokeError() : 0;
            return descriptor < 0 ? null : new SafeFileHandle(descriptor, ownsHandle: true);
        }
    }

    /// <summary>Hands over submissions and waits for completions.</summary>
    /// <returns>How many were handed over, or the negated error number; EINTR is the caller's to repeat.</returns>
    public static int Enter(int ring, uint submit, uint waitFor)
    {
        nint done = Syscall(EnterNumber, ring, (nint)submit, (nint)waitFor, (nint)GetEvents, 0, 0);
        return done < 0 ? -Marshal.GetLastPInvokeError() : (int)done;
    }

    /// <returns>Null when the kernel refuses.</returns>
    public static byte* MapRings(SafeFileHandle ring, nuint bytes) => Map(ring, bytes, RingOffset);

    /// <returns>Null when the kernel refuses.</returns>
    public static Submission* MapSubmissions(SafeFileHandle ring, nuint bytes) =>
        (Submission*)Map(ring, bytes, EntriesOffset);

    public static void Unmap(void* address, nuint bytes) => _ = UnmapCall(address, bytes);

    /// <summary>A counter that one thread waits for in the ring and others raise. Its reads wait: the ring sees to that.</summary>
    /// <returns>An invalid handle when the process has no descriptor left.</returns>
    public static SafeFileHandle CreateEvent() => new(EventFd(0, EventCloseOnExec), ownsHandle: true);

    public static void Raise(SafeFileHandle signal)
    {
        ulong one = 1;
        while (Write(signal, &one, sizeof(ulong)) < 0 && Marshal.GetLastPInvokeError() == Errno.Interrupted)
        {
            // Repeated: a lost signal is a reader that waits for ever.
        }
    }

    private static byte* Map(SafeFileHandle ring, nuint bytes, long offset)
    {
        void* address = MapCall(null, bytes, ReadWrite, SharedPopulated, ring, offset);
        return address == (void*)-1 ? null : (byte*)address;
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Syscall(nint number, nint a, nint b, nint c, nint d, nint e, nint f);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial void* MapCall(
        void* address, nuint bytes, int protection, int flags, SafeFileHandle file, long offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int UnmapCall(void* address, nuint bytes);

    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    private static partial int EventFd(uint initial, int flags);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    private static partial nint Write(SafeFileHandle file, void* buffer, nint bytes);

    /// <summary>struct io_uring_params: asked for, and filled in by the kernel.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Parameters
    {
        public uint SubmissionEntries;
        public uint CompletionEntries;
        public uint Flags;
        public uint ThreadProcessor;
        public uint ThreadIdle;
        public uint Features;
        public uint WorkQueue;
        public uint Reserved0;
        public uint Reserved1;
        public uint Reserved2;
        public SubmissionOffsets Submission;
        public CompletionOffsets Completion;
    }

    /// <summary>struct io_sqring_offsets: where in the mapping things are.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct SubmissionOffsets
    {
        public uint Head;
        public uint Tail;
        public uint Mask;
        public uint Entries;
        public uint Flags;
        public uint Dropped;
        public uint Array;
        public uint Reserved;
        public ulong UserAddress;
    }

    /// <summary>struct io_cqring_offsets.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct CompletionOffsets
    {
        public uint Head;
        public uint Tail;
        public uint Mask;
        public uint Entries;
        public uint Overflow;
        public uint Entry;
        public uint Flags;
        public uint Reserved;
        public ulong UserAddress;
    }

    /// <summary>struct io_uring_sqe, as far as a read uses it; 64 bytes, the rest zero.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 64)]
    public struct Submission
    {
        [FieldOffset(0)]
        public byte Operation;

        [FieldOffset(4)]
        public int Descriptor;

        [FieldOffset(8)]
        public ulong Offset;

        [FieldOffset(16)]
        public ulong Address;

        [FieldOffset(24)]
        public uint Length;

        [FieldOffset(32)]
        public ulong UserData;
    }

    /// <summary>struct io_uring_cqe.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Completion
    {
        public ulong UserData;
        public int Result;
        public uint Flags;
    }
}
