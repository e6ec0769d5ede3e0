using System.Buffers;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace Millrace.Transfer.Server;

/// <summary>Reads the first bytes of a connection, before TLS and before any request.</summary>
internal static class ConnectionStart
{
    /// <summary>Ends when the server stops taking requests.</summary>
    public static CancellationToken StoppingOf(ConnectionContext connection) =>
        connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? default;

    /// <summary>Reads until enough bytes are there.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="timeout">How long that may take.</param>
    /// <param name="find">Returns how far the bytes received so far are consumed, or null if it needs more.</param>
    /// <returns>False if the sender has ended before, or the server stops; null if the time is up.</returns>
    public static async ValueTask<bool?> ReadAsync(ConnectionContext connection, TimeSpan timeout, Func<ReadOnlySequence<byte>, SequencePosition?> find)
    {
        PipeReader input = connection.Transport.Input;
        CancellationToken stopping = StoppingOf(connection);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stopping);
        limit.CancelAfter(timeout);
        try
        {
            while (true)
            {
                ReadResult read = await input.ReadAsync(limit.Token);
                SequencePosition? end = find(read.Buffer);
                input.AdvanceTo(end ?? read.Buffer.Start, end ?? read.Buffer.End);
                if (end is not null || read.IsCompleted)
                {
                    return end is not null;
                }
            }
        }
        catch (OperationCanceledException)
        {
            return stopping.IsCancellationRequested ? false : null;
        }
        catch (IOException)
        {
            // Reset.
            return false;
        }
    }
}
