using System.Globalization;
using System.Runtime;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Millrace.Lab.Meters;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The meters of the server's process, which it answers with, and how they are asked for.</summary>
/// <param name="cores">Other processes, whose meters it answers with for them.</param>
internal sealed class ServerMeters(CoreEndpoints cores) : IDisposable
{
    private const string BeginPath = "meters/begin";
    private const string EndPath = "meters/end";
    private const string LargePath = "meters/large";
    private const string CompiledPath = "meters/compiled";

    // Apart from those that transfer: a transfer's connection is as the transfer before left it.
    private static readonly HttpClient Client = new(new SocketsHttpHandler { UseProxy = false });

    private readonly ProcessMeters _meters = new();
    private readonly LargeObjects _large = new();

    /// <summary>Adds them to an application.</summary>
    public void Map(IEndpointRouteBuilder endpoints)
    {
        endpoints.MapMethods("/" + BeginPath, [HttpMethods.Get], context => AnswerAsync(context, resets: true));
        endpoints.MapMethods("/" + EndPath, [HttpMethods.Get], context => AnswerAsync(context, resets: false));
        endpoints.MapMethods("/" + LargePath, [HttpMethods.Get], context =>
        {
            lock (_meters)
            {
                return context.Response.WriteAsync(FormattableString.Invariant($"{_large.Next()}"));
            }
        });
        endpoints.MapMethods("/" + CompiledPath, [HttpMethods.Get], static context =>
            context.Response.WriteAsync(FormattableString.Invariant($"{JitInfo.GetCompiledMethodCount()}")));
    }

    /// <summary>See <see cref="IIterationState.ServerLargeObjects"/>.</summary>
    public static long? LargeObjectBytes(Uri server) =>
        long.TryParse(AskText(server, LargePath), NumberStyles.None, CultureInfo.InvariantCulture, out long bytes) ? bytes : null;

    /// <summary>How often the server's runtime has compiled a method so far.</summary>
    public static long CompiledMethods(Uri server) => long.Parse(AskText(server, CompiledPath), CultureInfo.InvariantCulture);

    /// <summary>Asks a server right before an invocation.</summary>
    /// <param name="server">The server.</param>
    /// <param name="coreChunk">Of a server of gRPC's C++ core, its chunks; null for the server itself.</param>
    public static ServerReading Begin(Uri server, int? coreChunk) => Ask(server, BeginPath, coreChunk);

    /// <summary>Asks it right after one.</summary>
    public static ServerReading End(Uri server, int? coreChunk) => Ask(server, EndPath, coreChunk);

    public void Dispose() => _meters.Dispose();

    private static string AskText(Uri server, string path)
    {
        using HttpResponseMessage response = Client.Send(new HttpRequestMessage(HttpMethod.Get, new Uri(server, path)));
        response.EnsureSuccessStatusCode();
        using var text = new StreamReader(response.Content.ReadAsStream());
        return text.ReadToEnd();
    }

    private static ServerReading Ask(Uri server, string path, int? coreChunk)
    {
        using HttpResponseMessage response = Client.Send(
            new HttpRequestMessage(HttpMethod.Get, new Uri(server, path + CoreEndpoints.QueryOf(coreChunk))));
        response.EnsureSuccessStatusCode();
        using Stream body = response.Content.ReadAsStream();
        return JsonSerializer.Deserialize(body, WorkerJson.Default.ServerReading)!;
    }

    private Task AnswerAsync(HttpContext context, bool resets)
    {
        ServerReading reading;
        lock (_meters)
        {
            reading = cores.Take(context, resets) ?? ServerReading.Take(_meters, resets);
        }

        byte[] body = JsonSerializer.SerializeToUtf8Bytes(reading, WorkerJson.Default.ServerReading);
        context.Response.ContentLength = body.Length;
        return context.Response.Body.WriteAsync(body, 0, body.Length);
    }
}
