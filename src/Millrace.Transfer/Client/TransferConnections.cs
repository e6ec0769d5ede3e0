namespace Millrace.Transfer;

/// <summary>The connections of a client.</summary>
internal static class TransferConnections
{
    /// <summary>What the name of a server stands for may change; a connection is not used for ever.</summary>
    private static readonly TimeSpan Lifetime = TimeSpan.FromMinutes(5);

    public static SocketsHttpHandler Create(TransferClientOptions options) => new()
    {
        // Whoever asks for a folder's name without its slash is sent to the listing, which is no file. And a token is for
        // the server that was named.
        AllowAutoRedirect = false,
        AutomaticDecompression = System.Net.DecompressionMethods.None,
        ConnectTimeout = options.IdleTimeout,
        EnableMultipleHttp2Connections = true,

        // A request that is ended because nothing moves leaves its connection to the next one; over HTTP/2 only a ping
        // shows that nothing moves there at all.
        KeepAlivePingDelay = PingTime(options.IdleTimeout),
        KeepAlivePingPolicy = HttpKeepAlivePingPolicy.WithActiveRequests,
        KeepAlivePingTimeout = PingTime(options.IdleTimeout),
        PooledConnectionLifetime = Lifetime,
        UseCookies = false,
    };

    /// <summary>Half of what a request waits, so that a dead connection is gone when the request is; HttpClient takes no less than a second.</summary>
    private static TimeSpan PingTime(TimeSpan idle) => idle <= TimeSpan.Zero ? Timeout.InfiniteTimeSpan
        : TimeSpan.FromSeconds(Math.Max(1, Math.Min(idle.TotalSeconds / 2, TimeSpan.FromHours(1).TotalSeconds)));
}
