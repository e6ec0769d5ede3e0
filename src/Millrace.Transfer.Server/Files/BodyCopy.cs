using System.Buffers;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Connections;

namespace Millrace.Transfer.Server;

/// <summary>Moves a body between a connection and a store.</summary>
internal static class BodyCopy
{
    /// <summary>Moves a body into a store, up to its end.</summary>
    /// <returns>Bytes that were moved.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.TooLarge"/>: more than <paramref name="limit"/> came.</exception>
    public static async ValueTask<long> ReceiveAsync(
        PipeReader body, PipeWriter destination, long limit, CancellationToken cancellationToken, UploadProgress? progress = null)
    {
        long moved = 0;
        while (true)
        {
            ReadResult result = await ReadAsync(body, cancellationToken);
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

                await WriteAsync(result.Buffer, destination, cancellationToken);
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

            progress?.Report();
        }
    }

    /// <summary>Reads a request's body, and distinguishes a client that went away from a failure of the server.</summary>
    /// <remarks>
    /// Under HTTP/1.1, Kestrel's readers never get over a read that a token has ended: later, Kestrel finds the body being read, logs an
    /// error and aborts the connection. So a read ends by <see cref="PipeReader.CancelPendingRead"/>.
    /// </remarks>
    /// <exception cref="ConnectionResetException">The client reset the stream or its connection.</exception>
    /// <exception cref="OperationCanceledException">It was canceled; the body can be read again.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<ReadResult> ReadAsync(PipeReader body, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        try
        {
            ValueTask<ReadResult> reading = body.ReadAsync(CancellationToken.None);
            if (reading.IsCompleted || !cancellationToken.CanBeCanceled)
            {
                return await reading;
            }

            ReadResult result;
            using (cancellationToken.UnsafeRegister(static body => CancelRead((PipeReader)body!), body))
            {
                result = await reading;
            }

            if (result.IsCanceled)
            {
                body.AdvanceTo(result.Buffer.Start);
                cancellationToken.ThrowIfCancellationRequested();
                throw new OperationCanceledException("Receiving was canceled.");
            }

            return result;
        }
        catch (IOException exception) when (exception.GetType() == typeof(IOException) && Refusal.FindBrokenBody(exception) is null)
        {
            // Kestrel reports a stream that was reset as this, and cancels RequestAborted only after it.
            throw new ConnectionResetException(exception.Message, exception);
        }
    }

    /// <summary>Ends a read that waits. One of a stream that was aborted ends anyway, and Kestrel's reader throws that error here.</summary>
    private static void CancelRead(PipeReader body)
    {
        try
        {
            body.CancelPendingRead();
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException or ObjectDisposedException)
        {
        }
    }

    /// <summary>Moves the received bytes of a connection into a store.</summary>
    public static async ValueTask WriteAsync(
        ReadOnlySequence<byte> content, PipeWriter destination, CancellationToken cancellationToken)
    {
        // It is in large blocks; another block for each transfer would be memory for nothing.
        switch (destination)
        {
            case LimitedBody limited:
                await limited.WriteThroughAsync(content, cancellationToken);
                return;
            case FilePipeWriter file:
                await file.WriteThroughAsync(content, cancellationToken);
                return;
        }

        foreach (ReadOnlyMemory<byte> segment in content)
        {
            await destination.WriteAsync(segment, cancellationToken);
        }
    }
}
