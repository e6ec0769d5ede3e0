using System.Net;
using System.Net.Sockets;

namespace Millrace.Transfer;

/// <summary>The connections of a client.</summary>
internal static class TransferConnections
{
    /// <summary>Bytes of one answer over HTTP/2 that may be on their way before the client has asked for more: 16 MiB.</summary>
    /// <remarks>
    /// The maximum of HttpClient, and the size to which it grows a window on a long route: twice the bytes in flight at
    /// 60 ms and 1 Gbit/s. On a short route, too, a sender stalls at the end of a smaller one: docs/measuring.md.
    /// </remarks>
    public const int InitialWindowBytes = 16 * 1024 * 1024;

    /// <summary>The address of a server's name may change; a connection is not used for ever.</summary>
    private static readonly TimeSpan Lifetime = TimeSpan.FromMinutes(5);

    public static SocketsHttpHandler Create(TransferClientOptions options) => new()
    {
        // A request for a folder's name without its slash is redirected to the listing, not to a file. And a token is for
        // the server that was named.
        AllowAutoRedirect = false,
        AutomaticDecompression = DecompressionMethods.None,
        ConnectCallback = ConnectAsync,
        ConnectTimeout = options.IdleTimeout,
        EnableMultipleHttp2Connections = true,
        InitialHttp2StreamWindowSize = InitialWindowBytes,

        // A request that is ended because nothing moves leaves its connection to the next one; over HTTP/2 only a ping
        // shows that nothing moves there at all.
        KeepAlivePingDelay = PingTime(options.IdleTimeout),
        KeepAlivePingPolicy = HttpKeepAlivePingPolicy.WithActiveRequests,
        KeepAlivePingTimeout = PingTime(options.IdleTimeout),
        PooledConnectionLifetime = Lifetime,
        SslOptions = ClientTls.Read(options),
        UseCookies = false,
    };

    /// <summary>
    /// Half of a request's timeout, so that a dead connection is gone when the request is; HttpClient takes no less than a
    /// second.
    /// </summary>
    private static TimeSpan PingTime(TimeSpan idle) => idle <= TimeSpan.Zero
        ? Timeout.InfiniteTimeSpan
        : TimeSpan.FromSeconds(Math.Max(1, Math.Min(idle.TotalSeconds / 2, TimeSpan.FromHours(1).TotalSeconds)));

    private static async ValueTask<Stream> ConnectAsync(
        SocketsHttpConnectionContext context, CancellationToken cancellationToken)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(context.DnsEndPoint, cancellationToken).ConfigureAwait(false);
            var connection = new NetworkStream(socket, ownsSocket: true);

            // HTTP/1.1 already receives bodies in the caller's memory.
            return context.InitialRequestMessage.Version.Major == HttpVersion.Version20.Major
                ? new LargeReadStream(connection)
                : new JoinedWriteStream(connection);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
