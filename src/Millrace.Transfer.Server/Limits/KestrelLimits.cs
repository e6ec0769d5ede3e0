using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Net.Http.Headers;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server;

internal static class KestrelLimits
{
    /// <summary>The window of an upload over HTTP/2 where rates are limited: as much as a connection of HTTP/1.1 receives early.</summary>
    private const int MinPacedWindow = 128 * 1024;

    public static void Apply(KestrelServerOptions kestrel, TransferLimits limits)
    {
        kestrel.AddServerHeader = false;
        kestrel.RequestHeaderEncodingSelector = static name => name == HeaderNames.ContentLength ? DigitsOnly.Instance : FieldText.Instance;
        kestrel.Limits.MaxConcurrentConnections = limits.MaxConnections;
        kestrel.Limits.MaxRequestBodySize = limits.MaxBodyBytes;
        kestrel.Limits.MinRequestBodyDataRate = Rate(limits.MinReceiveRate, limits.MinReceiveRateGracePeriod);

        // Kestrel adds the time that bytes take at the rate for some writes, not for others, and to what earlier ones have left: a client
        // that was fast at first could then wait for hours. At a rate without a limit, the grace of each write is all there is.
        kestrel.Limits.MinResponseDataRate = new MinDataRate(double.MaxValue, limits.MaxSendPause);
        kestrel.Limits.RequestHeadersTimeout = limits.HeaderTimeout;
        kestrel.Limits.KeepAliveTimeout = limits.KeepAliveTimeout;
        kestrel.Limits.MaxRequestBufferSize = limits.ReceiveBuffer;
        kestrel.Limits.MaxResponseBufferSize = limits.SendBuffer;

        // One upload may use the whole window of its connection: a client's other uploads use other connections.
        // With a rate, bytes received early would only wait in memory, and use up the window of the connection's other uploads.
        kestrel.Limits.Http2.InitialStreamWindowSize = Math.Min(limits.MaxRate ?? long.MaxValue, limits.MaxRatePerCaller ?? long.MaxValue) is var rate
            && rate < long.MaxValue ? (int)Math.Clamp(rate / 4, Math.Min(MinPacedWindow, limits.Http2Window), limits.Http2Window) : limits.Http2Window;
        kestrel.Limits.Http2.InitialConnectionWindowSize = limits.Http2Window;
    }

    public static void Apply(SocketTransportOptions sockets, TransferLimits limits)
    {
        sockets.MaxReadBufferSize = limits.ReceiveBuffer;
        sockets.MaxWriteBufferSize = limits.SendBuffer;
    }

    public static void Apply(MillraceSocketOptions sockets, TransferLimits limits)
    {
        sockets.ReadBufferBytes = limits.ReceiveBuffer;
        sockets.WriteBufferBytes = limits.SendBuffer;
    }

    private static MinDataRate? Rate(int bytesPerSecond, TimeSpan grace) =>
        bytesPerSecond == 0 ? null : new MinDataRate(bytesPerSecond, grace);
}
