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
/// <param name="folder">See <see cref="TransferFolders"/>.</param>
/// <param name="processes">2 for a server in a process of its own.</param>
internal sealed class StoreServers(string folder, int processes) : IDisposable
{
    private const string AskPath = "store";
    private const string DigestKey = "digest";
    private const string DurabilityKey = "durability";
    private const string HandlingKey = "handling";

    // The server's own ones are on the port of the first.
    private static readonly HttpClient Client = new(new SocketsHttpHandler { UseProxy = false });

    private readonly Dictionary<StoreKind, TransferServer> _servers = [];

    /// <summary>Adds to an application where they are found.</summary>
    public void Map(IEndpointRouteBuilder endpoints) => endpoints.MapMethods("/" + AskPath, [HttpMethods.Get], AnswerAsync);

    /// <summary>Asks a server where files are that are kept so.</summary>
    /// <param name="server">The server.</param>
    /// <param name="kind">How.</param>
    public static async Task<StoreAddress> FindAsync(Uri server, StoreKind kind)
    {
        var ask = new Uri(
            server,
            $"{AskPath}?{DigestKey}={kind.WithDigest}&{DurabilityKey}={kind.Durability}&{HandlingKey}={kind.Handling}");
        return StoreAddress.Parse(await Client.GetStringAsync(ask).ConfigureAwait(false));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (TransferServer server in _servers.Values)
        {
            server.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }

    private Task AnswerAsync(HttpContext context)
    {
        IQueryCollection query = context.Request.Query;
        StoreAddress address = AddressOf(new StoreKind(
            bool.Parse(query[DigestKey]!),
            Enum.Parse<Durability>(query[DurabilityKey]!),
            Enum.Parse<ChunkHandling>(query[HandlingKey]!)));
        return context.Response.WriteAsync(address.ToString());
    }

    private StoreAddress AddressOf(StoreKind kind)
    {
        // Asked for before anything is measured, so it may wait.
        lock (_servers)
        {
            if (!_servers.TryGetValue(kind, out TransferServer? server))
            {
                server = TransferServer.StartAsync(new TransferHostOptions
                {
                    Folder = TransferFolders.Furnish(folder, TransferFolders.Store(folder, kind, processes)),
                    Port = 0,
                    Http2Port = 0,
                    Store = new LocalFileStoreOptions { ComputeSha256 = kind.WithDigest, Durability = kind.Durability },
                    Endpoints = new TransferServerOptions { Grpc = new GrpcServerOptions { ChunkHandling = kind.Handling } },
                }).GetAwaiter().GetResult();
                _servers.Add(kind, server);
            }

            return new StoreAddress(
                new Uri(server.Address, server.Description.Files + "/"), server.Http2Address!.Authority);
        }
    }
}
