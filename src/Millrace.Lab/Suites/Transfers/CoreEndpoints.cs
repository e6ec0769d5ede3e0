using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Millrace.Lab.GrpcCore;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>Starts the servers of gRPC's C++ core where they are asked for, and answers for their meters.</summary>
internal sealed class CoreEndpoints(string folder) : IDisposable
{
    private const string AskPath = "grpc-core";
    private const string ChunkKey = "chunk";

    private readonly CoreServers _servers = new(
        CoreProgram.PathIn(TransferFolders.DataOf(folder)), TransferFolders.Core(folder));

    public static async Task<StoreAddress> FindAsync(Uri server, int chunk)
    {
        string port = await Question.AskAsync(new Uri(server, AskPath + QueryOf(chunk))).ConfigureAwait(false);
        return new StoreAddress(new Uri($"http://127.0.0.1:{port}/"), $"127.0.0.1:{port}");
    }

    /// <summary>The query of a path that is about one of them.</summary>
    public static string QueryOf(int? chunk) =>
        chunk is { } bytes ? string.Create(CultureInfo.InvariantCulture, $"?{ChunkKey}={bytes}") : "";

    public void Map(IEndpointRouteBuilder endpoints) => endpoints.MapMethods("/" + AskPath, [HttpMethods.Get], context =>
    {
        TransferFolders.Furnish(folder, TransferFolders.Core(folder));
        return context.Response.WriteAsync(_servers.PortOf(ChunkOf(context)!.Value).ToString(CultureInfo.InvariantCulture));
    });

    /// <summary>Reads the meters of the one that a request is about; null when it is about none.</summary>
    public ServerReading? Take(HttpContext context, bool resets) =>
        OperatingSystem.IsLinux() && ChunkOf(context) is { } chunk ? ServerReading.Take(_servers.IdOf(chunk), resets) : null;

    public void Dispose() => _servers.Dispose();

    private static int? ChunkOf(HttpContext context) =>
        context.Request.Query.TryGetValue(ChunkKey, out Microsoft.Extensions.Primitives.StringValues value)
            ? int.Parse(value!, CultureInfo.InvariantCulture)
            : null;
}
