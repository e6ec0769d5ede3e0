namespace Millrace.Transfer.Server.Tests.Limits;

/// <summary>A client that receives nothing holds a transfer only for a while, whatever it was sent before.</summary>
public sealed class SlowReceiverTests : FolderTests
{
    [Theory]
    [InlineData(ServerTransport.Millrace, "http1")]
    [InlineData(ServerTransport.Millrace, "tls")]
    [InlineData(ServerTransport.Millrace, "http2")]
    [InlineData(ServerTransport.Kestrel, "http1")]
    [InlineData(ServerTransport.Kestrel, "tls")]
    [InlineData(ServerTransport.Kestrel, "http2")]
    public async Task Client_that_receives_nothing_is_closed(ServerTransport transport, string protocol)
    {
        await using ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.Transport = transport;
            options.Limits = new TransferLimits { MaxSendPause = TimeSpan.FromSeconds(2) };
            options.OfferHttp2Port = protocol == "http2";
            options.Http2Port = 0;
            if (protocol == "tls")
            {
                (options.CertificatePath, options.KeyPath) = (Folder["cert.pem"], Folder["key.pem"]);
                LoopbackCertificate.Write(options.CertificatePath, options.KeyPath);
            }
        });

        // More than the system's buffers take, so that much was received, as far as the server knows.
        await served.WriteAsync("large", Content.Random(40_000_000));
        using IDisposable client = await BeginAsync(served.Server, protocol);
        await Bounded.UntilAsync(() => served.Server.ActiveTransfers == 0);
    }

    /// <summary>Receives the fields of an answer, which come when the transfer is counted, and no more.</summary>
    private static async Task<IDisposable> BeginAsync(TransferServer server, string protocol)
    {
        if (protocol != "http2")
        {
            RawConnection plain = await RawConnection.OpenAsync(
                server.Address, "GET /files/large HTTP/1.1\r\nHost: localhost\r\n\r\n", tls: protocol == "tls");
            Assert.StartsWith("HTTP/1.1 200 ", await plain.ReadHeadAsync(), StringComparison.Ordinal);
            return plain;
        }

        RawHttp2 connection = await RawHttp2.OpenAsync(server.Http2Address!.Port);
        await connection.RequestAsync(1, "GET", "/files/large", end: true);
        Assert.NotNull(await connection.ReadUntilAsync(RawHttp2.Headers, stream: 1));
        return connection;
    }
}
