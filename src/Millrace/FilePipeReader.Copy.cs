using System.IO.Pipelines;
using Millrace.Copying;
using Millrace.Writing;

namespace Millrace;

/// <summary>Copying, in whole blocks whatever chunk the caller wished for.</summary>
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
        if (KernelCanCopy && destination is StagedFileWriter { TakesKernelCopies: true } writer)
        {
            return CopyByKernelAsync(writer, cancellationToken);
        }

        if (destination is not (null or FilePipeWriter) && CanReadIntoPipe)
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
        destination is FilePipeWriter writer
            ? CopyCountedAsync(writer, cancellationToken)
            : base.CopyToAsync(destination, cancellationToken);

    /// <summary>
    /// Copies and consumes exactly what the writer accepted, which it can tell. The base class consumes nothing of a write
    /// that failed or was canceled, and would bring what such a write did accept a second time.
    /// </summary>
    private async Task CopyCountedAsync(FilePipeWriter writer, CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadResult result = await ReadAsync(cancellationToken).ConfigureAwait(false);
            long before = writer.Position;
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
                // Less than before: somebody has completed it meanwhile.
                AdvanceTo(result.Buffer.GetPosition(Math.Max(0, writer.Position - before)));
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

            // What a failed copy had in its hands was a block; the caller's wish holds again.
            _served = (int)Math.Min(_served, (long)_examined + chunk);
        }
    }
}
