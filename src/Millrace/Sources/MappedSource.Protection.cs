using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <content>
/// The lease, and its break, when a process wants to write: the file is taken out of the memory while the kernel keeps
/// the writer waiting, at the same addresses, so that the reader's spans stay valid and hold the
/// file's bytes. After that the file is read.
/// </content>
internal sealed unsafe partial class MappedSource
{
    void ILeaseHolder.OnBreak()
    {
        SafeFileHandle file = File.Handle;
        MappedBlock? region;
        long from;
        long to;
        lock (_gate)
        {
            // The signal may be one about an earlier file of the same number.
            if (!_leaseHeld || _disposed || _protection != Protection.Leased || LeaseGuardian.IsUndisturbed(file))
            {
                return;
            }

            _protection = Protection.Breaking;
            region = _region;
            region?.Enter();
            from = _liveFrom;
            to = _liveTo;

            // The lease may be given up meanwhile by a reader that completes; the file is needed to the end of the copy.
            bool added = false;
            file.DangerousAddRef(ref added);
        }

        bool replaced = region is null || region.TryReplace(file, from, to);
        IReadyCallback? callback;
        lock (_gate)
        {
            _protection = replaced ? Protection.Copied : Protection.Disputed;
            if (replaced)
            {
                GiveUpLease();
            }

            callback = _callback;
            _callback = null;
            Monitor.PulseAll(_gate);
        }

        region?.Leave();
        file.DangerousRelease();
        callback?.OnReady();
    }

    /// <summary>Takes the lease and checks that the file is unchanged since it was opened.</summary>
    private string? TakeLease()
    {
        lock (_gate)
        {
            if (LeaseGuardian.Take(File.Handle, this) is { } refusal)
            {
                return refusal;
            }

            _leaseHeld = true;
        }

        return FileStatus.Get(File.Handle, File.Native).Size == File.SizeAtOpen
            ? null
            : "its size changed while it was opened";
    }

    private void GiveUpLease()
    {
        if (_leaseHeld)
        {
            _leaseHeld = false;
            LeaseGuardian.GiveUp(File.Handle);
        }
    }

    /// <summary>Goes over to reading: the file is not protected any more, or its pages cannot be entered.</summary>
    private void StartReading(ref Window window)
    {
        Block? copy = CopyOf(window, out int start);
        int length = window.Length;
        MappedBlock? region;
        lock (_gate)
        {
            region = _region;
            _region = null;
            _reason = $"mapped up to offset {window.EndOffset}, then read: "
                + (_protection != Protection.Leased ? "the file was about to be changed"
                    : _enteringFailed ? "its pages cannot be entered"
                    : "the system did not map more of it");
            var reading = new CachedSource(File, _options, ReadStrategy.Buffered, _reason);
            reading.Seek(window.EndOffset);
            if (_disposed)
            {
                reading.Dispose();
            }

            _reading = reading;
        }

        window.Block = copy;
        window.Start = start;
        window.End = start + length;
        EndMapping(region);
    }

    private Block? CopyOf(in Window window, out int start)
    {
        start = 0;
        int length = window.Length;
        if (window.Block is not { } mapped || length == 0)
        {
            return null;
        }

        Block copy = length <= BlockPool.HeadroomBytes
            ? Allocator.Rent()
            : Allocator.RentLarge((int)Math.Min(Array.MaxLength, 2L * length));
        if (_protection == Protection.Disputed)
        {
            // Perhaps because pages are lost. Where that is so, this is an exception and not a signal.
            start = copy.Headroom;
            ReadAgain(copy, window);
        }
        else
        {
            start = Math.Max(0, copy.Headroom - length);
            new Span<byte>(mapped.Pointer + window.Start, length).CopyTo(new Span<byte>(copy.Pointer + start, length));
        }

        return copy;
    }

    private void ReadAgain(Block copy, in Window window)
    {
        copy.Prepare(window.StartOffset, window.Length, skipped: 0);
        _ = File.Read(copy, mayWait: true, out _);
        copy.State = BlockState.Idle;
        FilePipeException? error = copy.Error;
        if (error is null && copy.Filled == window.Length)
        {
            return;
        }

        copy.Release();
        throw error ?? File.ReadFailed(
            window.StartOffset, new EndOfStreamException("the file ends before bytes that were there"));
    }
}
