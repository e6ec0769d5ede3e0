using Millrace.Transfer.Server.Tests.Uploads;

namespace Millrace.Transfer.Server.Tests.Interop;

/// <summary>A server, and files on the client's side that are compared with what arrived.</summary>
public sealed class InteropServer : IAsyncLifetime
{
    public const int Chunk = 1024 * 1024;
    public const int Large = 24_000_000;

    private readonly DirectoryInfo _sources = Directory.CreateTempSubdirectory("millrace-interop-");

    public RunningServer Server { get; private set; } = null!;

    public string Endpoint => new Uri(Server.Address, "/uploads").ToString();

    public async Task InitializeAsync() => Server = await RunningServer.StartAsync();

    public async Task DisposeAsync()
    {
        await Server.DisposeAsync();
        _sources.Delete(recursive: true);
    }

    /// <summary>Makes a file to be uploaded.</summary>
    public async Task<string> SourceAsync(int length)
    {
        string path = Path.Combine(_sources.FullName, Guid.NewGuid().ToString("N"));
        await File.WriteAllBytesAsync(path, Content.Of(length));
        return path;
    }

    /// <summary>Compares what was published with what was uploaded, by SHA-256.</summary>
    public async Task AssertArrivedAsync(string name, string source)
    {
        await using FileStream sent = File.OpenRead(source);
        await using FileStream arrived = File.OpenRead(Server.PathOf(name));
        Assert.Equal(
            Convert.ToHexString(await SHA256.HashDataAsync(sent)), Convert.ToHexString(await SHA256.HashDataAsync(arrived)));
    }
}
