using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;

namespace Millrace.Transfer.Server.Tests.Hosting;

/// <summary>The start of a server, and its offers.</summary>
public sealed class StartTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("millrace-start-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private TransferHostOptions Options => new() { Folder = _folder, Port = 0, Http2Port = 0 };

    private TransferHostOptions With(Action<TransferHostOptions> configure)
    {
        TransferHostOptions options = Options;
        configure(options);
        return options;
    }

    private static async Task<TransferException> RefusedAsync(TransferHostOptions options) =>
        await Assert.ThrowsAsync<TransferException>(async () =>
        {
            await using TransferServer server = await TransferServer.StartAsync(options);
        });

    [Fact]
    public async Task The_largest_file_is_announced_to_tus_and_the_draft()
    {
        const long max = 1_000_000;
        await using ServedFolder served = await ServedFolder.StartAsync(options => options.Store.MaxFileBytes = max);
        using var request = new HttpRequestMessage(HttpMethod.Options, "uploads");
        using HttpResponseMessage response = await served.Client.SendAsync(request);

        Assert.Equal(["1000000"], response.Headers.GetValues("Tus-Max-Size"));
        Assert.Equal(["max-size=1000000"], response.Headers.GetValues("Upload-Limit"));

        using var large = new HttpRequestMessage(HttpMethod.Post, "uploads");
        large.Headers.Add("Tus-Resumable", "1.0.0");
        large.Headers.Add("Upload-Length", "1000001");
        large.Headers.Add("Upload-Metadata", "filename YQ==");
        using HttpResponseMessage refused = await served.Client.SendAsync(large);
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, refused.StatusCode);
        Assert.Equal(["1000000"], refused.Headers.GetValues("Tus-Max-Size"));
    }

    [Fact]
    public void Defaults_match_the_documentation()
    {
        TransferHostOptions options = new() { Folder = "." };
        Assert.Equal("127.0.0.1", options.Host);
        Assert.Equal(8080, options.Port);
        Assert.Null(options.Http2Port);
        Assert.True(options.OfferHttp2Port);
        Assert.False(options.Insecure);
        Assert.Equal(TimeSpan.FromSeconds(30), options.ShutdownTimeout);
        Assert.Null(options.CertificatePath);
        Assert.Null(options.KeyPath);
        Assert.Null(options.TokensPath);
        Assert.Null(options.Logging);
        Assert.Equivalent(new TransferLimits(), options.Limits, strict: true);
        Assert.Equivalent(new LocalFileStoreOptions(), options.Store, strict: true);
        Assert.Equivalent(new TransferServerOptions(), options.Endpoints, strict: true);
    }

    [Fact]
    public void Defaults_of_the_endpoints_match_the_documentation()
    {
        TransferServerOptions options = new();
        Assert.Equal("/files", options.FilesPath);
        Assert.Equal("/uploads", options.UploadsPath);
        Assert.False(options.ServePrecompressed);
        Assert.True(options.Compress);
        Assert.True(options.Archives);
        Assert.Same(TimeProvider.System, options.Clock);
    }

    [Fact]
    public async Task Missing_folder_is_reported_with_the_command_that_creates_it()
    {
        TransferException exception = await RefusedAsync(With(options => options.Folder = "/nowhere/at/all"));
        Assert.Contains("mkdir -p /nowhere/at/all", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("0.0.0.0")]
    [InlineData("*")]
    public async Task Public_address_needs_a_token_or_an_explicit_opt_out(string host)
    {
        TransferException exception = await RefusedAsync(With(options => options.Host = host));
        Assert.Equal(
            $"{host} is reached from other machines, and there is no token, so that anybody there could read, replace and delete everything. Make a token with 'millrace token add NAME --folder {_folder}', or add --insecure to let everybody in.",
            exception.Message);
    }

    [Fact]
    public async Task Token_allows_a_public_address_and_its_removal_does_not_open_the_server()
    {
        var tokens = new TokenStore(TokenStore.DefaultPath(_folder));
        await tokens.AddAsync("one", TransferScope.All);
        await using TransferServer server = await TransferServer.StartAsync(With(options => options.Host = "0.0.0.0"));
        Assert.True(server.NeedsToken);
        await tokens.RemoveAsync("one");
        using var client = new HttpClient();

        using HttpResponseMessage response = await client.GetAsync($"http://127.0.0.1:{server.Address.Port}/files/");
        Assert.Equal(HttpStatusCode.Unauthorized, response.StatusCode);
        await server.StopAsync();
    }

    [Fact]
    public async Task Taken_port_is_reported_with_the_remedy()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        int port = ((IPEndPoint)taken.LocalEndpoint).Port;

        TransferException exception = await RefusedAsync(With(options => options.Port = port));
        Assert.Equal(
            $"Port {port} is taken by another program. Stop that, or choose another with --port; --port 0 takes one that is free.",
            exception.Message);
        exception = await RefusedAsync(With(options => options.Http2Port = port));
        Assert.Contains("--h2-port 0", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Invalid_listen_address_is_named()
    {
        TransferException exception = await RefusedAsync(With(options => options.Host = "files.example.org"));
        Assert.Contains("'files.example.org' is not a valid listen address", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Largest_file_is_announced_to_tus_and_draft_clients()
    {
        await using TransferServer server = await TransferServer.StartAsync(
            With(options => options.Store = new LocalFileStoreOptions { MaxFileBytes = 1_000_000 }));
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(HttpMethod.Options, new Uri(server.Address, "/uploads"));

        using HttpResponseMessage response = await client.SendAsync(request);

        Assert.Equal("1000000", Assert.Single(response.Headers.GetValues("Tus-Max-Size")));
        Assert.Contains("max-size=1000000", Assert.Single(response.Headers.GetValues("Upload-Limit")), StringComparison.Ordinal);
        await server.StopAsync();
    }

    [Fact]
    public async Task Description_names_protocols_and_ports()
    {
        await using TransferServer server = await TransferServer.StartAsync(Options);
        using var client = new HttpClient();
        string json = await client.GetStringAsync(new Uri(server.Address, ServerDescription.Path));
        ServerDescription description = JsonSerializer.Deserialize(json, TransferJson.Default.ServerDescription)!;

        Assert.Equal(
            ["http1", "http2", "tus", "grpc", "grpc-web", "grpc-web-text"], description.Protocols.Select(protocol => protocol.Name));
        Assert.Equal(server.Address.Port, description.Protocols[0].Port);
        Assert.Equal(server.Http2Address!.Port, description.Protocols[1].Port);
        Assert.Equal(server.Http2Address!.Port, description.Protocols[3].Port);
        Assert.Equal(server.Address.Port, description.Protocols[4].Port);
        Assert.Equal("/files", description.Files);
        Assert.Equal("/uploads", description.Uploads);
        Assert.StartsWith("Millrace ", description.Server, StringComparison.Ordinal);
        Assert.False(description.NeedsToken);
        await server.StopAsync();
    }

    [Fact]
    public async Task Http2_works_with_prior_knowledge_on_its_port()
    {
        await File.WriteAllTextAsync(Path.Combine(_folder, "one.txt"), "one");
        await using TransferServer server = await TransferServer.StartAsync(Options);
        using var client = new HttpClient
        {
            DefaultRequestVersion = HttpVersion.Version20,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        using HttpResponseMessage response = await client.GetAsync(new Uri(server.Http2Address!, "/files/one.txt"));

        Assert.Equal(HttpVersion.Version20, response.Version);
        Assert.Equal("one", await response.Content.ReadAsStringAsync());
        await server.StopAsync();
    }

    [Fact]
    public async Task Taken_http2_port_is_left_out_with_a_note()
    {
        // The two ports have to lie side by side, which the system promises nobody.
        for (int i = 0; i < 100; i++)
        {
            using var taken = new TcpListener(IPAddress.Loopback, 0);
            taken.Start();
            int port = ((IPEndPoint)taken.LocalEndpoint).Port;
            try
            {
                await using TransferServer server = await TransferServer.StartAsync(
                    With(options =>
                    {
                        options.Port = port - 1;
                        options.Http2Port = null;
                    }));
                Assert.Null(server.Http2Address);
                Assert.Contains($"port {port} ", server.Note, StringComparison.Ordinal);
                await server.StopAsync();
                return;
            }
            catch (TransferException)
            {
                // The one before is taken as well: another pair.
            }
        }

        Assert.Fail("There were no two ports side by side.");
    }

    [Fact]
    public async Task Certificate_enables_TLS_and_http2_on_one_port()
    {
        (string certificate, string key, X509Certificate2 made) = MakeCertificate();
        using (made)
        {
            await using TransferServer server = await TransferServer.StartAsync(
                With(options =>
                {
                    options.CertificatePath = certificate;
                    options.KeyPath = key;
                }));
            Assert.Equal("https", server.Address.Scheme);
            Assert.Equal(server.Address, server.Http2Address);
            using var client = new HttpClient(Trusting(made))
            {
                DefaultRequestVersion = HttpVersion.Version20,
                DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
            };
            using HttpResponseMessage two = await client.GetAsync(new Uri(server.Address, "/health"));
            Assert.Equal(HttpVersion.Version20, two.Version);

            using var one = new HttpClient(Trusting(made));
            using HttpResponseMessage first = await one.GetAsync(new Uri(server.Address, "/health"));
            Assert.Equal(HttpVersion.Version11, first.Version);
            await server.StopAsync();
        }
    }

    [Fact]
    public async Task Invalid_certificate_file_is_named()
    {
        string path = Path.Combine(_folder, "cert.pem");
        await File.WriteAllTextAsync(path, "no certificate");
        Assert.Contains(path, (await RefusedAsync(With(options => options.CertificatePath = path))).Message, StringComparison.Ordinal);
        Assert.Contains("--cert", (await RefusedAsync(With(options => options.KeyPath = path))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Settings_files_in_the_served_folder_are_ignored()
    {
        await File.WriteAllTextAsync(
            Path.Combine(_folder, "appsettings.json"), """{"Kestrel":{"Endpoints":{"x":{"Url":"http://127.0.0.1:1"}}}}""");
        await using TransferServer server = await TransferServer.StartAsync(Options);
        using var client = new HttpClient();
        using HttpResponseMessage response = await client.GetAsync(new Uri(server.Address, "/health"));

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.False(response.Headers.Contains("Server"));
        await server.StopAsync();
    }

    private (string Certificate, string Key, X509Certificate2 Made) MakeCertificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        X509Certificate2 made = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        string certificatePath = Path.Combine(_folder, "cert.pem");
        string keyPath = Path.Combine(_folder, "key.pem");
        File.WriteAllText(certificatePath, made.ExportCertificatePem());
        File.WriteAllText(keyPath, key.ExportPkcs8PrivateKeyPem());
        return (certificatePath, keyPath, made);
    }

    private static SocketsHttpHandler Trusting(X509Certificate2 certificate)
    {
        var policy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,
        };
        policy.CustomTrustStore.Add(certificate);
        return new SocketsHttpHandler { SslOptions = { CertificateChainPolicy = policy } };
    }
}
