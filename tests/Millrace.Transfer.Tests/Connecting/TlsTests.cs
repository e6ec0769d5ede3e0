using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Millrace.Transfer.Tests.Connecting;

/// <summary>A server with a certificate that no authority knows.</summary>
public sealed class TlsTests : FolderTests
{
    [NeedsTheory(Need.Wine, "makes no keys and certificates")]
    [InlineData(TransferProtocol.Auto, TransferProtocol.Http2)]
    [InlineData(TransferProtocol.Http1, TransferProtocol.Http1)]
    [InlineData(TransferProtocol.Tus, TransferProtocol.Tus)]
    [InlineData(TransferProtocol.Grpc, TransferProtocol.Grpc)]
    [InlineData(TransferProtocol.GrpcWeb, TransferProtocol.GrpcWeb)]
    [InlineData(TransferProtocol.GrpcWebText, TransferProtocol.GrpcWebText)]
    public async Task Files_move_with_TLS_where_the_handler_trusts_the_certificate(TransferProtocol wanted, TransferProtocol protocol)
    {
        await using TestServer server = await StartAsync();
        using X509Certificate2 certificate = X509CertificateLoader.LoadCertificateFromFile(Folder["certificate.pem"]);
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            SslOptions = new SslClientAuthenticationOptions
            {
                CertificateChainPolicy = new X509ChainPolicy
                {
                    TrustMode = X509ChainTrustMode.CustomRootTrust,
                    RevocationMode = X509RevocationMode.NoCheck,
                    CustomTrustStore = { certificate },
                },
            },
        };
        using var client = new TransferClient(
            server.Files, handler, disposeHandler: true, new TransferClientOptions { Protocol = wanted });
        byte[] content = Content.Random(3_000_001);

        TransferResult put = await client.PutAsync(new MemoryStream(content), Clients.Name("x"));
        TransferResult got = await client.GetAsync(Clients.Name("x"), Folder["y"]);

        Assert.Equal(Uri.UriSchemeHttps, server.Files.Scheme);
        Assert.Equal(protocol, put.Protocol);
        Assert.Equal(put.Sha256, got.Sha256);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["y"]));
    }

    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task Untrusted_certificate_is_reported_and_not_retried()
    {
        await using TestServer server = await StartAsync();
        var handler = new CountingHandler();
        using var client = new TransferClient(server.Files, handler, disposeHandler: true);

        TransferException exception = await Fails.WithAsync(
            TransferError.Disconnected, () => client.GetAsync(Clients.Name("x"), Folder["y"]));

        Assert.Contains("Check the server's certificate", exception.Message, StringComparison.Ordinal);
        Assert.Equal(1, handler.Gets);
    }

    private Task<TestServer> StartAsync() => TestServer.StartAsync(options => options.CertificatePath = TlsFiles.Write(Folder));
}
