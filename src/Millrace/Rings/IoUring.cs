using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Rings;

/// <summary>
/// A submission and a completion ring shared with the kernel. Belongs to the thread that created it: nothing here is
/// thread-safe, and the kernel is told so.
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

    /// <summary>The kernel's name for the ring in this process.</summary>
    public int Descriptor => _descriptor;

    /// <param name="entries">Reads that can be handed over at once; a power of two. Twice as many can be in flight.</param>
    /// <param name="error">The error number when there is no ring to be had.</param>
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
                IoUringCalls.Unmap(rings, ringBytes);
            }

            handle.Dispose();
            error = Errno.NotSupported;
            return null;
        }

        return new IoUring(handle, parameters, rings, ringBytes, submissions, submissionBytes);
    }

    /// <summary>Writes down a read; <see cref="Enter"/> hands it over.</summary>
    /// <returns>False when the ring is full.</returns>
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

        // The kernel may read the entry from here on.
        Volatile.Write(ref *_submissionTail, tail + 1);
        return true;
    }

    /// <summary>Hands over what is written down, and waits for a completion if <paramref name="wait"/>.</summary>
    /// <returns>0, or the error number.</returns>
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

            // The kernel stopped at one that it refused, said so in a completion, and did not wait.
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

        // The kernel may write the entry from here on.
        Volatile.Write(ref *_completionHead, head + 1);
        return true;
    }

    /// <summary>Only when nothing is in flight: the kernel does not wait for it.</summary>
    public void Dispose()
    {
        IoUringCalls.Unmap(_submissions, _submissionBytes);
        IoUringCalls.Unmap(_rings, _ringBytes);
        _handle.Dispose();
    }
}
