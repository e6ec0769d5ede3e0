using System.Net;
using System.Net.Security;
using System.Net.Sockets;
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

    [NeedsTheory(Need.Wine, "makes no keys and certificates")]
    [InlineData(TransferProtocol.Auto, TransferProtocol.Http2)]
    [InlineData(TransferProtocol.Grpc, TransferProtocol.Grpc)]
    public async Task Files_move_where_the_options_name_the_authority(TransferProtocol wanted, TransferProtocol protocol)
    {
        await using TestServer server = await StartAsync();
        using var client = new TransferClient(
            server.Files, new TransferClientOptions { Protocol = wanted, CaCertificatePath = Folder["certificate.pem"] });

        TransferResult put = await client.PutAsync(new MemoryStream(Content.Random(1000)), Clients.Name("x"));

        Assert.Equal(protocol, put.Protocol);
    }

    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task Certificate_of_another_authority_is_refused_unless_any_is_allowed()
    {
        await using TestServer server = await StartAsync();
        using var other = new TemporaryFolder();
        var options = new TransferClientOptions { CaCertificatePath = TlsFiles.Write(other) };
        using (var strict = new TransferClient(server.Files, options))
        {
            TransferException exception = await Fails.WithAsync(
                TransferError.Disconnected, () => strict.GetAsync(Clients.Name("x"), Folder["y"]));
            Assert.Contains(nameof(TransferClientOptions.CaCertificatePath), exception.Message, StringComparison.Ordinal);
            Assert.False(exception.IsTransient);
        }

        options.AllowAnyCertificate = true;
        using var lax = new TransferClient(server.Files, options);
        await lax.PutAsync(new MemoryStream(Content.Random(1000)), Clients.Name("x"));
    }

    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task Certificate_of_the_client_is_shown_to_a_server_that_asks()
    {
        string path = TlsFiles.Write(Folder);
        using X509Certificate2 certificate = X509Certificate2.CreateFromPemFile(path);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task<string?> shown = AcceptAsync(listener, certificate);
        using var client = new TransferClient(
            new Uri($"https://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}/files/"),
            new TransferClientOptions { CaCertificatePath = path, ClientCertificatePath = path, MaxAttempts = 1 });

        // This server only shakes hands.
        await Fails.WithAsync(TransferError.Disconnected, () => client.GetAsync(Clients.Name("x"), Folder["y"]));

        Assert.Equal("CN=127.0.0.1", await shown);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("no certificate")]
    public void Certificate_files_that_cannot_be_used_are_named(string? content)
    {
        string path = Folder["bad.pem"];
        if (content is not null)
        {
            File.WriteAllText(path, content);
        }

        foreach (TransferClientOptions options in (TransferClientOptions[])
            [new() { CaCertificatePath = path }, new() { ClientCertificatePath = path }, new() { ClientKeyPath = path }])
        {
            TransferException exception = Assert.Throws<TransferException>(() => new TransferClient(new Uri("https://localhost/files/"), options));
            Assert.Equal(TransferError.InvalidRequest, exception.Error);
            Assert.Contains(path, exception.Message, StringComparison.Ordinal);
        }
    }

    private static async Task<string?> AcceptAsync(TcpListener listener, X509Certificate2 certificate)
    {
        using TcpClient accepted = await listener.AcceptTcpClientAsync();
        using var tls = new SslStream(accepted.GetStream());
        string? shown = null;
        await tls.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = certificate,
            ClientCertificateRequired = true,
            RemoteCertificateValidationCallback = (_, client, _, _) =>
            {
                shown = client?.Subject;
                return client is not null;
            },
        });
        return shown;
    }

    private Task<TestServer> StartAsync() => TestServer.StartAsync(options => options.CertificatePath = TlsFiles.Write(Folder));
}
