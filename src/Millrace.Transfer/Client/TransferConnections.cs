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
        PooledConnectionLifetime = Lifetime,
        UseCookies = false,
    };
}
