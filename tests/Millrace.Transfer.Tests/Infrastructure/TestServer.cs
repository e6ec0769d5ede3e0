using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>A real server on loopback with a temporary folder.</summary>
internal sealed class TestServer : IAsyncDisposable
{
    private readonly TransferServer _server;

    private TestServer(TransferServer server, string root)
    {
        _server = server;
        Root = root;
    }

    public string Root { get; }

    public Uri Files => new(_server.Address, "/files/");

    /// <summary>Transfers that run now.</summary>
    public int Running => _server.ActiveTransfers;

    public int Port => _server.Address.Port;

    /// <summary>Where a protocol is spoken.</summary>
    public int PortOf(TransferProtocol protocol) => protocol == TransferProtocol.Grpc ? _server.Http2Address!.Port : Port;

    /// <summary>
    /// A bad network in front of it. A client of gRPC asks there over HTTP/1.1 first, which is refused: that connection does
    /// not count.
    /// </summary>
    public TestRelay Behind(TransferProtocol protocol, Func<int, RelayPlan> plan) => new(
        () => PortOf(protocol),
        protocol == TransferProtocol.Grpc ? connection => connection == 0 ? RelayPlan.Clear : plan(connection - 1) : plan);

    public static async Task<TestServer> StartAsync(Action<TransferHostOptions>? configure = null)
    {
        string root = Directory.CreateTempSubdirectory("millrace-client-").FullName;
        var options = new TransferHostOptions
        {
            Folder = root,
            Port = 0,
            Http2Port = 0,
            Transport = Enum.Parse<ServerTransport>(TestedTransport.Name),
            ShutdownTimeout = TimeSpan.Zero,
        };
        configure?.Invoke(options);
        return new TestServer(await TransferServer.StartAsync(options), root);
    }

    public string PathOf(string name) => Path.Combine(Root, name);

    /// <summary>Puts a file there without the server.</summary>
    public byte[] Write(string name, int bytes, int seed = 1)
    {
        byte[] content = Content.Random(bytes, seed);
        Directory.CreateDirectory(Path.GetDirectoryName(PathOf(name))!);
        File.WriteAllBytes(PathOf(name), content);
        return content;
    }

    /// <summary>Files that a client could see.</summary>
    public IReadOnlyList<string> Visible() =>
        [.. Directory.EnumerateFiles(Root, "*", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(Root, path).Replace('\\', '/'))
            .Where(name => !name.StartsWith(".millrace", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal)];

    /// <summary>A client that does not wait long.</summary>
    public TransferClient Connect(Action<TransferClientOptions>? change = null) => Clients.To(Files, change);

    public async ValueTask DisposeAsync()
    {
        // It waits for requests that were cut, which may still write into the folder.
        await _server.StopAsync();
        await _server.DisposeAsync();
        Directory.Delete(Root, recursive: true);
    }
}
