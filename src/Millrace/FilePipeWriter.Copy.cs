using System.IO.Pipelines;
using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Copying;
using Millrace.Interop;

namespace Millrace;

public abstract partial class FilePipeWriter
{
    /// <summary>
    /// Whether the kernel may copy to the file: not when every byte is to be hashed, nor past the page cache, which both
    /// files have to use, nor where pages may not stay in it.
    /// </summary>
    internal bool TakesKernelCopies => File is { Native: true, Pages: CachedPages.Kept } && _hash is null && Strategy != WriteStrategy.Direct;

    /// <summary>
    /// Counts bytes that the kernel copied to the file where <see cref="Position"/> is. Only when nothing is unflushed.
    /// </summary>
    /// <exception cref="OperationCanceledException"><see cref="CancelPendingFlush"/> was called.</exception>
    internal void AcceptCopied(long bytes)
    {
        Pass(bytes);
        OnWritten();
        if (_state.TakeCancellation())
        {
            throw CopyCanceled();
        }
    }

    /// <summary>Flushes, and throws when that is canceled, as every copy to a writer does.</summary>
    internal async ValueTask FlushForCopyAsync(CancellationToken cancellationToken)
    {
        FlushResult result = await FlushAsync(cancellationToken).ConfigureAwait(false);
        if (result.IsCanceled)
        {
            throw CopyCanceled();
        }
    }

    private OperationCanceledException CopyCanceled() =>
        new($"Copying to '{Path}' was canceled; the bytes accepted until then are kept.");

    /// <inheritdoc/>
    /// <remarks>
    /// Reads into the writer's own memory until a block is full, however little a read returns: the file is not visible before
    /// it is committed. A file is copied by the kernel where it can.
    /// </remarks>
    protected override async Task CopyFromAsync(Stream source, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        ThrowIfUnusable();
        cancellationToken.ThrowIfCancellationRequested();
        if (TakesKernelCopies && KernelFile.TryGet(source, out FileStream? file) && file.CanRead)
        {
            await CopyFromFileAsync(file, cancellationToken).ConfigureAwait(false);
        }

        while (true)
        {
            // Up to the next multiple of a block, so that a flush is one write.
            int room = BlockPool.BodyBytes - (int)(Position % BlockPool.BodyBytes);
            Memory<byte> memory = GetMemory();
            int read = await source.ReadAsync(memory[..Math.Min(room, memory.Length)], cancellationToken).ConfigureAwait(false);
            if (read == 0)
            {
                break;
            }

            Advance(read);
            if (read == room)
            {
                await FlushForCopyAsync(cancellationToken).ConfigureAwait(false);
            }
        }

        await FlushForCopyAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Copies as much as possible; the general copy does the rest and reports every error.</summary>
    private async Task CopyFromFileAsync(FileStream source, CancellationToken cancellationToken)
    {
        long from = source.Position;
        long bytes = source.Length - from;
        if (bytes < KernelFile.MinBytes)
        {
            return;
        }

        await FlushForCopyAsync(cancellationToken).ConfigureAwait(false);
        if (Gathered > 0)
        {
            return;
        }

        SafeFileHandle handle = source.SafeFileHandle;
        long copied = 0;
        EnterPending();
        try
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            _ = KernelSlices.Copy(handle, from, File.Handle, Written, bytes, Copied, cancellationToken);
        }
        catch (ObjectDisposedException)
        {
            // The writer was completed or the stream closed meanwhile; the general copy reports which.
        }
        finally
        {
            _ = _state.Leave();
            if (!handle.IsClosed)
            {
                source.Position = from + copied;
            }
        }

        void Copied(long slice)
        {
            copied += slice;
            AcceptCopied(slice);
        }
    }
}
