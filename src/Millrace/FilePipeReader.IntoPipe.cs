using System.IO.Pipelines;
using Millrace.Interop;
using Millrace.Sources;

namespace Millrace;

/// <summary>
/// Copying into a pipe that lends large memory: a file is read straight into it, without a block of ours and a copy out of
/// that. As the kernel's copy only what is known to be there; the rest, the end and every error are the general copy's.
/// </summary>
public sealed partial class FilePipeReader
{
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
        Interlocked.Or(ref _flags, PendingFlag);
        long position = Position;
        try
        {
            OpenFile file = _source.File;
            int chunk = Math.Min(_chunk, IntoPipeBytes);
            while (position < file.KnownEnd)
            {
                int bytes = (int)Math.Min(file.KnownEnd - position, chunk);
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
            return PositionalRead.ReadCached(file.Handle, pointer, memory.Length, offset);
        }
    }

    /// <returns>Bytes read; -1 where the general copy is to find out what is wrong.</returns>
    private static async ValueTask<int> ReadWaitingAsync(
        OpenFile file, Memory<byte> memory, long offset, CancellationToken cancellationToken)
    {
        try
        {
            return await RandomAccess.ReadAsync(file.Handle, memory, offset, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ObjectDisposedException)
        {
            return -1;
        }
    }
}
