using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// A submission and a completion ring shared with the kernel. Belongs to the thread that created it: nothing here is
/// thread-safe, and the kernel relies on it.
/// </summary>
internal sealed unsafe class IoUring : IDisposable
{
    private readonly SafeFileHandle _handle;
    private readonly int _descriptor;
    private readonly byte* _rings;
    private readonly nuint _ringBytes;
    private readonly IoUringCalls.Submission* _submissions;
    private readonly nuint _submissionBytes;
    private readonly uint* _submissionHead;
    private readonly uint* _submissionTail;
    private readonly uint _submissionMask;
    private readonly uint* _completionHead;
    private readonly uint* _completionTail;
    private readonly uint _completionMask;
    private readonly IoUringCalls.Completion* _completions;

    private IoUring(
        SafeFileHandle handle,
        in IoUringCalls.Parameters parameters,
        byte* rings,
        nuint ringBytes,
        IoUringCalls.Submission* submissions,
        nuint submissionBytes)
    {
        _handle = handle;
        _descriptor = (int)handle.DangerousGetHandle();
        _rings = rings;
        _ringBytes = ringBytes;
        _submissions = submissions;
        _submissionBytes = submissionBytes;
        _submissionHead = (uint*)(rings + parameters.Submission.Head);
        _submissionTail = (uint*)(rings + parameters.Submission.Tail);
        _submissionMask = *(uint*)(rings + parameters.Submission.Mask);
        _completionHead = (uint*)(rings + parameters.Completion.Head);
        _completionTail = (uint*)(rings + parameters.Completion.Tail);
        _completionMask = *(uint*)(rings + parameters.Completion.Mask);
        _completions = (IoUringCalls.Completion*)(rings + parameters.Completion.Entry);

        // Slot n of the ring is entry n, always.
        uint* array = (uint*)(rings + parameters.Submission.Array);
        for (uint i = 0; i < parameters.SubmissionEntries; i++)
        {
            array[i] = i;
        }
    }

    public int Descriptor => _descriptor;

    public static IoUring? TryCreate(uint entries, out int error)
    {
        IoUringCalls.Parameters parameters = default;
        parameters.Flags = IoUringCalls.SingleIssuerDeferred;
        SafeFileHandle? handle = IoUringCalls.Setup(entries, ref parameters, out error);
        if (handle is null && error == Errno.InvalidArgument)
        {
            // Before Linux 6.1. Nothing depends on these flags but the time it takes.
            parameters = default;
            handle = IoUringCalls.Setup(entries, ref parameters, out error);
        }

        if (handle is null)
        {
            return null;
        }

        byte* rings = null;
        nuint ringBytes = 0;
        if ((parameters.Features & IoUringCalls.NeededFeatures) == IoUringCalls.NeededFeatures)
        {
            ringBytes = Math.Max(
                parameters.Submission.Array + (parameters.SubmissionEntries * sizeof(uint)),
                parameters.Completion.Entry
                + (parameters.CompletionEntries * (uint)sizeof(IoUringCalls.Completion)));
            rings = IoUringCalls.MapRings(handle, ringBytes);
        }

        nuint submissionBytes = parameters.SubmissionEntries * (uint)sizeof(IoUringCalls.Submission);
        IoUringCalls.Submission* submissions =
            rings is null ? null : IoUringCalls.MapSubmissions(handle, submissionBytes);
        if (submissions is null)
        {
            if (rings is not null)
            {
                MemoryMap.Unmap((byte*)rings, (nint)ringBytes);
            }

            handle.Dispose();
            error = Errno.NotSupported;
            return null;
        }

        return new IoUring(handle, parameters, rings, ringBytes, submissions, submissionBytes);
    }

    /// <summary>Writes down a read; <see cref="Enter"/> hands it over.</summary>
    public bool TryQueueRead(int descriptor, byte* buffer, int bytes, long offset, ulong userData)
    {
        uint tail = *_submissionTail;
        if (tail - Volatile.Read(ref *_submissionHead) > _submissionMask)
        {
            return false;
        }

        IoUringCalls.Submission* submission = _submissions + (tail & _submissionMask);
        *submission = default;
        submission->Operation = IoUringCalls.ReadOperation;
        submission->Descriptor = descriptor;
        submission->Address = (ulong)buffer;
        submission->Length = (uint)bytes;
        submission->Offset = (ulong)offset;
        submission->UserData = userData;

        // Now the kernel may read the entry.
        Volatile.Write(ref *_submissionTail, tail + 1);
        return true;
    }

    /// <summary>Submits the prepared entries, and waits for a completion if <paramref name="wait"/>.</summary>
    public int Enter(bool wait)
    {
        while (true)
        {
            uint submit = *_submissionTail - Volatile.Read(ref *_submissionHead);
            int done = IoUringCalls.Enter(_descriptor, submit, wait && !HasCompletion ? 1u : 0u);
            switch (-done)
            {
                case Errno.Interrupted:
                    continue;
                case Errno.Again or Errno.Busy:
                    // Short of memory: with what completes, some comes back.
                    if (!HasCompletion)
                    {
                        _ = Thread.Yield();
                        continue;
                    }

                    return 0;
                case > 0:
                    return -done;
            }

            if (done == submit || done == 0)
            {
                return 0;
            }

            // The kernel stopped at one that it refused, reported it in a completion, and did not wait.
        }
    }

    private bool HasCompletion => *_completionHead != Volatile.Read(ref *_completionTail);

    /// <summary>Takes the next completion: the read's own data, and bytes read or the negated error number.</summary>
    public bool TryTake(out ulong userData, out int result)
    {
        uint head = *_completionHead;
        if (head == Volatile.Read(ref *_completionTail))
        {
            userData = 0;
            result = 0;
            return false;
        }

        IoUringCalls.Completion* completion = _completions + (head & _completionMask);
        userData = completion->UserData;
        result = completion->Result;

        // Now the kernel may write the entry.
        Volatile.Write(ref *_completionHead, head + 1);
        return true;
    }

    /// <summary>Only when nothing is in flight: the kernel does not wait for it.</summary>
    public void Dispose()
    {
        MemoryMap.Unmap((byte*)_submissions, (nint)_submissionBytes);
        MemoryMap.Unmap((byte*)_rings, (nint)_ringBytes);
        _handle.Dispose();
    }
}

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

    public static SafeFileHandle? Setup(uint entries, ref Parameters parameters, out int error)
    {
        fixed (Parameters* pointer = &parameters)
        {
            nint descriptor = Syscall(SetupNumber, (nint)entries, (nint)pointer, 0, 0, 0, 0);
            error = descriptor < 0 ? Marshal.GetLastPInvokeError() : 0;
            return descriptor < 0 ? null : new SafeFileHandle(descriptor, ownsHandle: true);
        }
    }

    /// <returns>How many were handed over, or the negated error number; EINTR is the caller's to repeat.</returns>
    public static int Enter(int ring, uint submit, uint waitFor)
    {
        nint done = Syscall(EnterNumber, ring, (nint)submit, (nint)waitFor, (nint)GetEvents, 0, 0);
        return done < 0 ? -Marshal.GetLastPInvokeError() : (int)done;
    }

    public static byte* MapRings(SafeFileHandle ring, nuint bytes) => Map(ring, bytes, RingOffset);

    public static Submission* MapSubmissions(SafeFileHandle ring, nuint bytes) =>
        (Submission*)Map(ring, bytes, EntriesOffset);

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

    [StructLayout(LayoutKind.Sequential)]
    public struct Completion
    {
        public ulong UserData;
        public int Result;
        public uint Flags;
    }
}
