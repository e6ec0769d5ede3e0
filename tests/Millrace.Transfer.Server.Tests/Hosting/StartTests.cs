using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;

namespace Millrace.Transfer.Server.Tests.Hosting;

/// <summary>The start of a server, and its offers.</summary>
public sealed class StartTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("millrace-start-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private TransferHostOptions With(Action<TransferHostOptions> configure)
    {
        TransferHostOptions options = new() { Folder = _folder, Port = 0, Http2Port = 0 };
        configure(options);
        return options;
    }

    private static async Task<TransferException> RefusedAsync(TransferHostOptions options) =>
        await Assert.ThrowsAsync<TransferException>(async () =>
        {
            await using TransferServer server = await TransferServer.StartAsync(options);
        });

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
        Assert.Empty(options.HostNames);
        Assert.Null(options.PublicUrl);
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
        Assert.Empty(options.AllowedOrigins);
        Assert.Same(TimeProvider.System, new TransferHostOptions { Folder = "." }.TimeProvider);
    }

    [Fact]
    public async Task Missing_folder_is_reported_with_the_command_that_creates_it()
    {
        TransferException exception = await RefusedAsync(With(options => options.Folder = "/nowhere/at/all"));
        Assert.Contains("mkdir -p /nowhere/at/all", exception.Message, StringComparison.Ordinal);
    }

    [Theory, InlineData("0.0.0.0"), InlineData("*")]
    public async Task Public_address_needs_a_token_or_an_explicit_opt_out(string host)
    {
        TransferException exception = await RefusedAsync(With(options => options.Host = host));
        Assert.Equal(
            $"{host} is reached from other machines, and no token exists, so anyone there could read, replace and delete everything. Create a token with TokenStore.AddAsync, or allow it with TransferHostOptions.Insecure.",
            exception.Message);
    }

    [Fact]
    public async Task Token_allows_a_public_address_and_its_removal_does_not_open_the_server()
    {
        var tokens = new TokenStore(Path.Combine(_folder, TokenStore.FileName));
        await tokens.AddAsync("one", TransferScope.All);
        await using ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.Host = "0.0.0.0";
            options.TokensPath = tokens.Path;
        });
        Assert.True(served.Server.NeedsToken);
        await tokens.RemoveAsync("one");
        using var client = new HttpClient();

        await client.GetAsync($"http://127.0.0.1:{served.Server.Address.Port}/files/")
            .AnswersAsync(HttpStatusCode.Unauthorized);
    }

    [Fact]
    public async Task Taken_port_is_reported_with_the_remedy()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        int port = ((IPEndPoint)taken.LocalEndpoint).Port;

        TransferException exception = await RefusedAsync(With(options => options.Port = port));
        Assert.Equal(
            $"Port {port} is taken by another program. Stop it, or choose another with TransferHostOptions.Port; TransferHostOptions.Port 0 takes a free one.",
            exception.Message);
        exception = await RefusedAsync(With(options => options.Http2Port = port));
        Assert.Contains("with TransferHostOptions.Http2Port;", exception.Message, StringComparison.Ordinal);
        exception = await RefusedAsync(With(options =>
        {
            options.Port = port;
            options.SettingNames = new Dictionary<string, string> { ["TransferHostOptions.Port"] = "--port" };
        }));
        Assert.EndsWith("choose another with --port; --port 0 takes a free one.", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Invalid_listen_address_is_named()
    {
        TransferException exception = await RefusedAsync(With(options => options.Host = "files.example.org"));
        Assert.Contains("'files.example.org' is not a valid listen address", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Description_names_protocols_and_ports()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(Http2);
        string json = await served.Client.GetStringAsync(ServerDescription.Path);
        ServerDescription description = JsonSerializer.Deserialize(json, TransferJson.Default.ServerDescription)!;

        int port = served.Server.Address.Port;
        int http2Port = served.Server.Http2Address!.Port;
        Assert.Equal(
            [("http1", port), ("http2", http2Port), ("tus", port), ("grpc", http2Port), ("grpc-web", port), ("grpc-web-text", port)],
            description.Protocols.Select(protocol => (protocol.Name, protocol.Port)));
        Assert.Equal("/files", description.Files);
        Assert.Equal("/uploads", description.Uploads);
        Assert.StartsWith("Millrace ", description.Server, StringComparison.Ordinal);
        Assert.False(description.NeedsToken);
    }

    [Theory, EveryValue]
    public async Task Http2_works_with_prior_knowledge_on_its_port(ServerTransport transport)
    {
        await using ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            Http2(options);
            options.Transport = transport;
        });
        Assert.NotEqual(served.Server.Address, served.Server.Http2Address);
        await AssertAnswersAsync(served, served.Server.Http2Address!, HttpVersion.Version20);
        await AssertAnswersAsync(served, served.Server.Address, HttpVersion.Version11);
    }

    [Fact]
    public async Task Http2_without_a_port_of_its_own_shares_the_main_one()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(static options =>
        {
            options.OfferHttp2Port = true;
            options.Transport = ServerTransport.Millrace;
        });
        Assert.Equal(served.Server.Address, served.Server.Http2Address);
        Assert.Null(served.Server.Notice);
        await AssertAnswersAsync(served, served.Server.Address, HttpVersion.Version20);
        await AssertAnswersAsync(served, served.Server.Address, HttpVersion.Version11);
    }

    [Theory, EveryValue]
    public async Task Http2_that_is_turned_off_is_refused(ServerTransport transport)
    {
        await using ServedFolder served = await ServedFolder.StartAsync(options => options.Transport = transport);
        Assert.Null(served.Server.Http2Address);
        using HttpClient client = ClientOf(HttpVersion.Version20);
        await Assert.ThrowsAsync<HttpRequestException>(() => client.GetAsync(new Uri(served.Server.Address, "/health")));
        await AssertAnswersAsync(served, served.Server.Address, HttpVersion.Version11);
    }

    [Fact]
    public async Task Taken_http2_port_is_left_out_with_a_note()
    {
        // The two ports have to lie side by side, which the system does not promise.
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
                        options.Transport = ServerTransport.Kestrel;
                    }));
                Assert.Null(server.Http2Address);
                Assert.Contains($"port {port} ", server.Notice, StringComparison.Ordinal);
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

    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task Certificate_enables_TLS_and_http2_on_one_port()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            Http2(options);
            options.CertificatePath = Path.Combine(_folder, "cert.pem");
            options.KeyPath = Path.Combine(_folder, "key.pem");
            LoopbackCertificate.Write(options.CertificatePath, options.KeyPath);
        });
        Assert.Equal("https", served.Server.Address.Scheme);
        Assert.Equal(served.Server.Address, served.Server.Http2Address);
        foreach (Version version in (Version[])[HttpVersion.Version20, HttpVersion.Version11])
        {
            using HttpClient client = ClientOf(version, LoopbackCertificate.Policy());
            using HttpResponseMessage response = await client.GetAsync(new Uri(served.Server.Address, "/health"));
            Assert.Equal(version, response.Version);
        }
    }

    [Fact]
    public async Task Invalid_certificate_file_is_named()
    {
        string path = Path.Combine(_folder, "cert.pem");
        await File.WriteAllTextAsync(path, "no certificate");
        Assert.Contains(path, (await RefusedAsync(With(options => options.CertificatePath = path))).Message, StringComparison.Ordinal);
        Assert.Contains(
            "TransferHostOptions.CertificatePath",
            (await RefusedAsync(With(options => options.KeyPath = path))).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Settings_files_in_the_served_folder_are_ignored()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(static options => File.WriteAllText(
            Path.Combine(options.Folder, "appsettings.json"), """{"Kestrel":{"Endpoints":{"x":{"Url":"http://127.0.0.1:1"}}}}"""));
        using HttpResponseMessage response = await served.Client.GetAsync("health");

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.False(response.Headers.Contains("Server"));
    }

    private static async Task AssertAnswersAsync(ServedFolder served, Uri address, Version version)
    {
        await File.WriteAllTextAsync(Path.Combine(served.Folder, "one.txt"), "one");
        using HttpClient client = ClientOf(version);
        using HttpResponseMessage response = await client.GetAsync(new Uri(address, "/files/one.txt"));
        Assert.Equal(version, response.Version);
        Assert.Equal("one", await response.Content.ReadAsStringAsync());
    }

    private static void Http2(TransferHostOptions options)
    {
        options.OfferHttp2Port = true;
        options.Http2Port = 0;
    }

    private static HttpClient ClientOf(Version version, X509ChainPolicy? trust = null) => new(
        new SocketsHttpHandler { SslOptions = { CertificateChainPolicy = trust } })
    {
        DefaultRequestVersion = version,
        DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
    };
}
