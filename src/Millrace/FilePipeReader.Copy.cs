using System.IO.Pipelines;
using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Copying;
using Millrace.Interop;
using Millrace.Sources;
using Millrace.Writing;

namespace Millrace;

/// <content>Copying, in whole blocks whatever chunk the caller wished for.</content>
public sealed partial class FilePipeReader
{
    /// <inheritdoc/>
    /// <remarks>
    /// A failed copy leaves <see cref="Position"/> at the first byte that was not written. To a <see cref="FileStream"/>
    /// the kernel copies, where it can, from its position on.
    /// </remarks>
    public override Task CopyToAsync(Stream destination, CancellationToken cancellationToken = default)
    {
        if (KernelCanCopy && destination is not null && KernelFile.TryGet(destination, out FileStream? file) && file.CanWrite)
        {
            return CopyByKernelAsync(file, cancellationToken);
        }

        return CopyThroughMemoryAsync(destination!, cancellationToken);
    }

    /// <inheritdoc/>
    /// <remarks>
    /// A failed copy leaves <see cref="Position"/> at the first byte that was not written. To a writer from
    /// <see cref="FilePipe.Create"/> the kernel copies where it can.
    /// </remarks>
    public override Task CopyToAsync(PipeWriter destination, CancellationToken cancellationToken = default)
    {
        if (KernelCanCopy && destination is FilePipeWriter { TakesKernelCopies: true } writer)
        {
            return CopyByKernelAsync(writer, cancellationToken);
        }

        if (destination is not (null or FilePipeWriter or FileAppendWriter) && CanReadIntoPipe)
        {
            return CopyIntoAsync(destination, cancellationToken);
        }

        return CopyThroughMemoryAsync(destination!, cancellationToken);
    }

    private Task CopyThroughMemoryAsync(Stream destination, CancellationToken cancellationToken) =>
        _chunk == int.MaxValue
            ? base.CopyToAsync(destination, cancellationToken)
            : CopyInBlocksAsync(destination, null, cancellationToken);

    private Task CopyThroughMemoryAsync(PipeWriter destination, CancellationToken cancellationToken) =>
        _chunk == int.MaxValue
            ? CopyAllAsync(destination, cancellationToken)
            : CopyInBlocksAsync(null, destination, cancellationToken);

    private Task CopyAllAsync(PipeWriter destination, CancellationToken cancellationToken) =>
        destination is FilePipeWriter or FileAppendWriter
            ? CopyCountedAsync(destination, cancellationToken)
            : base.CopyToAsync(destination, cancellationToken);

    /// <summary>
    /// Copies and consumes exactly the bytes that the writer accepted, which it reports. The base class consumes nothing of a write
    /// that failed or was canceled, and would copy the accepted bytes of such a write twice.
    /// </summary>
    private async Task CopyCountedAsync(PipeWriter writer, CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadResult result = await ReadAsync(cancellationToken).ConfigureAwait(false);
            long before = Accepted();
            bool canceled = result.IsCanceled;
            try
            {
                if (!canceled && !result.Buffer.IsEmpty)
                {
                    FlushResult flushed = await writer.WriteAsync(result.Buffer.First, cancellationToken).ConfigureAwait(false);
                    canceled = flushed.IsCanceled;
                }
            }
            finally
            {
                // Less than before: it was completed meanwhile.
                AdvanceTo(result.Buffer.GetPosition(Math.Max(0, Accepted() - before)));
            }

            if (!canceled && result.IsCompleted && writer.UnflushedBytes > 0)
            {
                canceled = (await writer.FlushAsync(cancellationToken).ConfigureAwait(false)).IsCanceled;
            }

            if (canceled)
            {
                throw CopyCanceled();
            }

            if (result.IsCompleted)
            {
                return;
            }
        }

        long Accepted() => writer is FilePipeWriter file ? file.Position : ((FileAppendWriter)writer).AcceptedBytes;
    }

    private OperationCanceledException CopyCanceled() =>
        new($"Copying '{Path}' was canceled; the reader is at the first byte that was not copied.");

    private async Task CopyInBlocksAsync(Stream? stream, PipeWriter? writer, CancellationToken cancellationToken)
    {
        int chunk = _chunk;
        _chunk = int.MaxValue;
        try
        {
            await (writer is null
                ? base.CopyToAsync(stream!, cancellationToken)
                : CopyAllAsync(writer, cancellationToken)).ConfigureAwait(false);
        }
        finally
        {
            _chunk = chunk;

            // The failed copy held a whole block; the caller's limit applies again.
            _served = (int)Math.Min(_served, (long)_examined + chunk);
        }
    }

    // By the kernel, from file to file. Only bytes known to be there: later ones, the end of the file, its changes
    // and every error are left to the general copy, which continues where this one stopped.

    /// <summary>
    /// Whether the rest of a regular file is worth a thread of the pool. Bytes already in memory are written from there,
    /// and the general copy reports a reader that is completed, canceled or in use.
    /// </summary>
    private bool KernelCanCopy => _source is { Strategy: not ReadStrategy.Direct, File.KeepsCached: true } && KnownRest >= KernelFile.MinBytes;

    /// <summary>Bytes of a regular file known to follow those in memory; 0 where the source must not be bypassed.</summary>
    private long KnownRest =>
        _state.IsIdle && !_ended && _source is { File: { Native: true, Kind: FileKind.Regular } } and not FollowSource
            ? _source.File.KnownEnd - _window.EndOffset
            : 0;

    private async Task CopyByKernelAsync(FilePipeWriter writer, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        await writer.FlushForCopyAsync(cancellationToken).ConfigureAwait(false);
        if (writer.Gathered == 0)
        {
            await CopyByKernelAsync(writer.Handle, writer.Position, writer.AcceptCopied, cancellationToken).ConfigureAwait(false);
            await writer.FlushForCopyAsync(cancellationToken).ConfigureAwait(false);
        }

        await CopyThroughMemoryAsync(writer, cancellationToken).ConfigureAwait(false);
    }

    private async Task CopyByKernelAsync(FileStream stream, CancellationToken cancellationToken)
    {
        await stream.FlushAsync(cancellationToken).ConfigureAwait(false);
        SafeFileHandle handle = stream.SafeFileHandle;
        long begin = stream.Position;
        long copied = 0;
        try
        {
            await CopyByKernelAsync(handle, begin, bytes => copied += bytes, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            if (!handle.IsClosed)
            {
                stream.Position = begin + copied;
            }
        }

        await CopyThroughMemoryAsync(stream, cancellationToken).ConfigureAwait(false);
    }

    private async Task CopyByKernelAsync(
        SafeFileHandle destination, long to, Action<long> accepted, CancellationToken cancellationToken)
    {
        ThrowIfUnusable();
        _ = _state.TryEnter();
        long position = Position;
        try
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            _ = KernelSlices.Copy(
                _source.File.Handle, position, destination, to, _source.File.KnownEnd - position, Copied, cancellationToken);
        }
        catch (ObjectDisposedException)
        {
            // The destination was closed meanwhile; the general copy reports it.
        }
        finally
        {
            LeaveCopy(position);
        }

        void Copied(long bytes)
        {
            position += bytes;
            accepted(bytes);
            ThrowIfCompleted();
            if (TakeCancellation())
            {
                throw CopyCanceled();
            }
        }
    }

    private void LeaveCopy(long position)
    {
        if (_state.Leave())
        {
            // Completed while this copy used the file: it is for this copy to give everything back.
            Release();
        }
        else
        {
            Seek(position);
        }
    }

    // Into a pipe that lends large memory: a file is read straight into it, without a block of ours and a copy out of that.

    /// <summary>
    /// Bytes of one read, unless the caller wishes for less; docs/measuring.md has what 64 KiB and a block of ours took.
    /// </summary>
    private const int IntoPipeBytes = 256 * 1024;

    private bool CanReadIntoPipe =>
        _source.Strategy is ReadStrategy.Buffered or ReadStrategy.ReadAhead && KnownRest > 0;

    private async Task CopyIntoAsync(PipeWriter destination, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfUnusable();
        _ = _state.TryEnter();
        long position = Position;
        try
        {
            OpenFile file = _source.File;
            int chunk = Math.Min(_chunk, IntoPipeBytes);
            while (position < file.KnownEnd)
            {
                // All reads but the first begin at a page, as the memory that they go to is likely to do.
                int bytes = (int)Math.Min(
                    file.KnownEnd - position, chunk < BlockPool.Alignment ? chunk : chunk - (position % BlockPool.Alignment));
                Memory<byte> memory = destination.GetMemory(bytes)[..bytes];
                int read = ReadCached(file, memory.Span, position);
                if (read < 0)
                {
                    read = await ReadWaitingAsync(file, memory, position, cancellationToken).ConfigureAwait(false);
                }

                if (read <= 0)
                {
                    break;
                }

                destination.Advance(read);
                FlushResult flushed = await destination.FlushAsync(cancellationToken).ConfigureAwait(false);
                position += read;
                ThrowIfCompleted();
                if (flushed.IsCompleted)
                {
                    return;
                }

                if (flushed.IsCanceled || TakeCancellation())
                {
                    throw CopyCanceled();
                }
            }
        }
        finally
        {
            LeaveCopy(position);
        }

        await CopyThroughMemoryAsync(destination, cancellationToken).ConfigureAwait(false);
    }

    private static unsafe int ReadCached(OpenFile file, Span<byte> memory, long offset)
    {
        fixed (byte* pointer = memory)
        {
            if (!PageStep.IsSlowToRead(pointer, offset))
            {
                return file.ReadCached(pointer, memory.Length, offset);
            }

            using NativeBlock block = BlockPool.Shared.Rent();
            byte* aside = block.Pointer + PageStep.IndexFor(offset + PageStep.Half, block.Pointer);
            int read = file.ReadCached(aside, memory.Length, offset);
            new ReadOnlySpan<byte>(aside, Math.Max(0, read)).CopyTo(memory);
            return read;
        }
    }

    /// <returns>Bytes read; -1 where the general copy is to find the error.</returns>
    private static async ValueTask<int> ReadWaitingAsync(
        OpenFile file, Memory<byte> memory, long offset, CancellationToken cancellationToken)
    {
        try
        {
            if (file.KeepsCached)
            {
                return await RandomAccess.ReadAsync(file.Handle, memory, offset, cancellationToken).ConfigureAwait(false);
            }

            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            return file.ReadAt(memory.Span, offset);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ObjectDisposedException)
        {
            return -1;
        }
    }
}
