namespace Millrace.Transfer.Server.Tests.Peers;

/// <summary>A server with gRPC, and files for peers to download and to upload.</summary>
public abstract class PeerTest : IAsyncLifetime
{
    private readonly string _here = Directory.CreateTempSubdirectory("millrace-peers-").FullName;
    private ServedFolder? _served;

    public static TheoryData<string> Peers { get; } = [.. PeerProgram.Names];

    /// <summary>Where the server's gRPC is.</summary>
    private protected Uri Grpc => Served.Server.Http2Address!;

    private protected ServedFolder Served => _served!;

    /// <summary>Where the server is for a peer: gRPC-Web is spoken over HTTP/1.1.</summary>
    private protected Uri AddressFor(string peer) => PeerProgram.IsWeb(peer) ? Served.Server.Address : Grpc;

    public async Task InitializeAsync() =>
        _served = await ServedFolder.StartAsync(static options =>
        {
            options.OfferHttp2Port = true;
            options.Http2Port = 0;
        });

    public async Task DisposeAsync()
    {
        await Served.DisposeAsync();
        Directory.Delete(_here, recursive: true);
    }

    /// <summary>A path on the peer's side.</summary>
    protected string Mine(string name) => Path.Combine(_here, name);

    /// <summary>A path on the server's side.</summary>
    protected string Theirs(string name) => Served.PathOf(name);

    /// <summary>Makes a file of random bytes; also one too large for one array of a test.</summary>
    protected static string Make(string path, long length)
    {
        var random = new Random((int)length);
        byte[] block = new byte[1024 * 1024];
        using FileStream file = File.Create(path);
        for (long left = length; left > 0; left -= block.Length)
        {
            random.NextBytes(block);
            file.Write(block, 0, (int)Math.Min(left, block.Length));
        }

        return path;
    }

    /// <summary>Makes a file of random bytes on the server's side, without the server.</summary>
    /// <returns>A path with its content.</returns>
    protected async Task<string> MakeTheirsAsync(string name, int length)
    {
        byte[] content = Content.Random(length, length);
        return await Served.WriteAsync(name, content);
    }

    /// <summary>A file's SHA-256 in lower-case hexadecimals.</summary>
    protected static string Sha256Of(string path)
    {
        using FileStream file = File.OpenRead(path);
        return Convert.ToHexStringLower(SHA256.HashData(file));
    }

    /// <summary>Waits until the server has let go of whatever was cut.</summary>
    protected Task AssertNothingRunsAsync() => Bounded.UntilAsync(() => Served.Server.ActiveTransfers == 0);
}
