using System.Buffers;
using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>Moves a body between a connection and a store.</summary>
internal static class BodyCopy
{
    /// <summary>Moves what arrives into a store, up to its end.</summary>
    /// <param name="body">The request's body; not completed here.</param>
    /// <param name="destination">Where it goes; not flushed to a device here.</param>
    /// <param name="limit">Bytes that are accepted.</param>
    /// <param name="cancellationToken">Ends the copying; what was written stays.</param>
    /// <returns>Bytes that were moved.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.TooLarge"/>: more than <paramref name="limit"/> came.</exception>
    public static async ValueTask<long> ReceiveAsync(
        PipeReader body, PipeWriter destination, long limit, CancellationToken cancellationToken)
    {
        long moved = 0;
        while (true)
        {
            ReadResult result = await body.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (result.IsCanceled)
            {
                throw new OperationCanceledException("Receiving was canceled.");
            }

            try
            {
                if (result.Buffer.Length > limit - moved)
                {
                    throw new TransferException(
                        TransferError.TooLarge, $"More than the {limit} bytes came that are accepted here.");
                }

                await WriteAsync(result.Buffer, destination, cancellationToken).ConfigureAwait(false);
                moved += result.Buffer.Length;
            }
            finally
            {
                body.AdvanceTo(result.Buffer.End);
            }

            if (result.IsCompleted)
            {
                return moved;
            }
        }
    }

    /// <summary>Moves what a connection has gathered into a store.</summary>
    /// <param name="content">Unchanged until this completes.</param>
    /// <param name="destination">Where it goes; not flushed to a device here.</param>
    /// <param name="cancellationToken">Ends the copying; what was written stays.</param>
    public static async ValueTask WriteAsync(
        ReadOnlySequence<byte> content, PipeWriter destination, CancellationToken cancellationToken)
    {
        if (destination is FilePipeWriter file)
        {
            // It is in large blocks; another block for each transfer would be memory for nothing.
            await file.WriteThroughAsync(content, cancellationToken).ConfigureAwait(false);
            return;
        }

        foreach (ReadOnlyMemory<byte> segment in content)
        {
            await destination.WriteAsync(segment, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Moves a part of a file into a response's body.</summary>
    /// <param name="content">The part; not completed here.</param>
    /// <param name="body">The response's body.</param>
    /// <param name="cancellationToken">Ends the copying.</param>
    public static Task SendAsync(PipeReader content, PipeWriter body, CancellationToken cancellationToken) =>
        content.CopyToAsync(body, cancellationToken);
}
