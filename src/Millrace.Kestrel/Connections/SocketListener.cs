using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;

namespace Millrace.Kestrel;

/// <summary>A socket that listens.</summary>
internal sealed partial class SocketListener(Socket socket, BlockPool pool, MillraceSocketOptions options, ILogger logger) : IConnectionListener
{
    /// <summary>Of the pipe that received bytes go through; all connections share them.</summary>
    private readonly PipeOptions _input = new(
        pool,
        ReceiveScheduler.Instance,
        PipeScheduler.ThreadPool,
        options.ReadBufferBytes,
        Math.Max(options.ReadBufferBytes / 2, 1),
        MillraceSocketOptions.MinBlockBytes,
        useSynchronizationContext: false);

    public EndPoint EndPoint { get; } = socket.LocalEndPoint!;

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        while (true)
        {
            Socket? accepted = null;
            try
            {
                accepted = await socket.AcceptAsync(cancellationToken);

                // Further bytes are polled, not waited for; and sendfile(2) has no flag for one call.
                accepted.Blocking = false;
                if (EndPoint is IPEndPoint)
                {
                    accepted.NoDelay = options.NoDelay;
                }

                var connection = new SocketConnection(accepted, pool, _input, options, logger);
                connection.Start();
                return connection;
            }
            catch (ObjectDisposedException)
            {
                return null;
            }
            catch (SocketException exception) when (accepted is null && exception.SocketErrorCode == SocketError.OperationAborted)
            {
                return null;
            }
            catch (SocketException)
            {
                // The peer was gone before it was accepted.
                accepted?.Dispose();
            }
            catch (IOException exception)
            {
                LogRefused(logger, exception.Message);
                accepted?.Dispose();
            }
        }
    }

    public ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        socket.Dispose();
        return default;
    }

    public ValueTask DisposeAsync() => UnbindAsync();

    [LoggerMessage(4, LogLevel.Warning, "A connection was closed as soon as it was accepted. {Reason}")]
    private static partial void LogRefused(ILogger logger, string reason);
}
