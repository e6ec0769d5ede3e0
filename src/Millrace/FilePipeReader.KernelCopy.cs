using Microsoft.Win32.SafeHandles;
using Millrace.Copying;
using Millrace.Interop;
using Millrace.Sources;
using Millrace.Writing;

namespace Millrace;

/// <summary>
/// Copying by the kernel, from file to file. Only what is known to be there: what comes after it, the end of the file,
/// its changes and every error are left to the general copy, which goes on where this one stopped.
/// </summary>
public sealed partial class FilePipeReader
{
    /// <summary>
    /// Whether the rest of a regular file is worth a thread of the pool. What is in memory already is written from there,
    /// and a reader that is completed, canceled or in use is told so by the general copy.
    /// </summary>
    private bool KernelCanCopy => _source.Strategy != ReadStrategy.Direct && KnownRest >= KernelFile.WorthIt;

    /// <summary>Bytes of a regular file that are known to be behind what is in memory; 0 where nobody may go past the source.</summary>
    private long KnownRest =>
        _flags == 0 && !_ended && _source is { File: { Native: true, Kind: FileKind.Regular } } and not FollowSource
            ? _source.File.KnownEnd - _window.EndOffset
            : 0;

    private async Task CopyByKernelAsync(StagedFileWriter writer, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        await writer.FlushForCopyAsync(cancellationToken).ConfigureAwait(false);
        if (writer.UnflushedBytes == 0)
        {
            await CopyByKernelAsync(writer.File.Handle, writer.Position, Copied, cancellationToken).ConfigureAwait(false);
            await writer.FlushForCopyAsync(cancellationToken).ConfigureAwait(false);
        }

        await CopyThroughMemoryAsync(writer, cancellationToken).ConfigureAwait(false);

        void Copied(long bytes)
        {
            writer.AcceptForeign(bytes);
            if (writer.TakeForeignCancellation())
            {
                throw writer.Canceled();
            }
        }
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
        Interlocked.Or(ref _flags, PendingFlag);
        long position = Position;
        try
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            _ = KernelSlices.Copy(
                _source.File.Handle, position, destination, to, _source.File.KnownEnd - position, Copied, cancellationToken);
        }
        catch (ObjectDisposedException)
        {
            // The destination was closed meanwhile; the general copy says so.
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
        if ((Interlocked.And(ref _flags, ~PendingFlag) & CompletedFlag) != 0)
        {
            // Completed while this copy used the file: it is for this copy to give everything back.
            Release();
        }
        else
        {
            Seek(position);
        }
    }
}
