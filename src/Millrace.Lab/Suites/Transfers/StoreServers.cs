using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// The server's end of Millrace's rows: what `millrace serve` runs, one for every way of keeping files, begun when it is
/// asked for.
/// </summary>
internal sealed class StoreServers(string folder, int server, IPAddress address) : IDisposable
{
    private const string AskPath = "store";
    private const string DigestKey = "digest";
    private const string DurabilityKey = "durability";

    private readonly Dictionary<StoreKind, (IAsyncDisposable Server, StoreAddress Address)> _servers = [];

    public void Map(IEndpointRouteBuilder endpoints) => endpoints.MapMethods("/" + AskPath, [HttpMethods.Get], AnswerAsync);

    public static async Task<StoreAddress> FindAsync(Uri other, StoreKind kind)
    {
        var ask = new Uri(other, $"{AskPath}?{QueryOf(kind)}");
        return StoreAddress.Parse(await Question.AskAsync(ask).ConfigureAwait(false));
    }

    public static string QueryOf(StoreKind kind) =>
        $"{DigestKey}={kind.WithDigest}&{DurabilityKey}={kind.Durability}";

    public static StoreKind KindOf(IQueryCollection query) => new(
        bool.Parse(query[DigestKey]!),
        Enum.Parse<Durability>(query[DurabilityKey]!));

    public void Dispose()
    {
        foreach ((IAsyncDisposable server, _) in _servers.Values)
        {
            server.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }

    private Task AnswerAsync(HttpContext context)
    {
        IQueryCollection query = context.Request.Query;
        return context.Response.WriteAsync(AddressOf(KindOf(query)).ToString());
    }

    private StoreAddress AddressOf(StoreKind kind)
    {
        // Asked for before anything is measured, so it may wait.
        lock (_servers)
        {
            if (!_servers.TryGetValue(kind, out (IAsyncDisposable Server, StoreAddress Address) started))
            {
                started = StartAsync(kind).GetAwaiter().GetResult();
                _servers.Add(kind, started);
            }

            return started.Address;
        }
    }

    private async Task<(IAsyncDisposable Server, StoreAddress Address)> StartAsync(StoreKind kind)
    {
        string store = TransferFolders.Furnish(folder, TransferFolders.Store(folder, kind, server));
        TransferServer started = await TransferServer.StartAsync(new TransferHostOptions
        {
            Folder = store,
            Port = 0,
            Http2Port = 0,
            Host = address.ToString(),

            // Across a link it is not loopback, and there are no other clients.
            Insecure = true,
            Store = new LocalFileStoreOptions { ComputeSha256 = kind.WithDigest, Durability = kind.Durability },
        }).ConfigureAwait(false);
        return (started, new StoreAddress(new Uri(started.Address, new TransferServerOptions().FilesPath + "/"), started.Http2Address!.Authority));
    }
}

/// <summary>The settings of one of the Millrace servers that a run needs.</summary>
internal readonly record struct StoreKind(bool WithDigest, Durability Durability)
{
    public string Name =>
        $"{(WithDigest ? TransfersSuite.Sha256 : TransfersSuite.None)}-{(Durability == Durability.None ? TransfersSuite.None : TransfersSuite.Commit)}";
}

/// <param name="Http2">Host and port of HTTP/2 without TLS.</param>
internal sealed record StoreAddress(Uri Files, string Http2)
{
    public static StoreAddress Parse(string text)
    {
        string[] parts = text.Split(' ');
        return new StoreAddress(new Uri(parts[0]), parts[1]);
    }

    public override string ToString() => $"{Files} {Http2}";
}
