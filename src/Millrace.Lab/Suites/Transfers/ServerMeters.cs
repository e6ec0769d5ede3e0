using System.Runtime;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The meters of the server's process, which it answers with, and how they are asked for.</summary>
/// <param name="takeElsewhere">Reads those of another process, and resets them, if a request is about it; null for none.</param>
internal sealed class ServerMeters(Func<HttpContext, bool, ServerReading?>? takeElsewhere = null) : IDisposable
{
    private const string BeginPath = "meters/begin";
    private const string EndPath = "meters/end";
    private const string LargePath = "meters/large";
    private const string CompiledPath = "meters/compiled";

    private readonly ProcessMeters _meters = new();
    private readonly LargeObjects _large = new();

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

    public static long? LargeObjectBytes(Uri server) =>
        long.TryParse(Question.Ask(new Uri(server, LargePath)), NumberStyles.None, CultureInfo.InvariantCulture, out long bytes) ? bytes : null;

    public static long CompiledMethods(Uri server) => long.Parse(Question.Ask(new Uri(server, CompiledPath)), CultureInfo.InvariantCulture);

    /// <param name="query">What names another process than the server's own; empty for that.</param>
    public static ServerReading Begin(Uri server, string query = "") => Ask(server, BeginPath + query);

    public static ServerReading End(Uri server, string query = "") => Ask(server, EndPath + query);

    public void Dispose() => _meters.Dispose();

    private static ServerReading Ask(Uri server, string path) =>
        JsonSerializer.Deserialize(Question.Ask(new Uri(server, path)), WorkerJson.Default.ServerReading)!;

    private Task AnswerAsync(HttpContext context, bool resets)
    {
        ServerReading reading;
        lock (_meters)
        {
            reading = takeElsewhere?.Invoke(context, resets) ?? ServerReading.Take(_meters, resets);
        }

        byte[] body = JsonSerializer.SerializeToUtf8Bytes(reading, WorkerJson.Default.ServerReading);
        context.Response.ContentLength = body.Length;
        return context.Response.Body.WriteAsync(body, 0, body.Length);
    }
}

internal static class Question
{
    // Apart from the clients that transfer: a transfer's connection is as the transfer before left it.
    private static readonly HttpClient Client = new(new SocketsHttpHandler { UseProxy = false });

    /// <exception cref="LabException">It cannot answer; the message has the reason.</exception>
    public static string Ask(Uri address)
    {
        using HttpResponseMessage response = Client.Send(new HttpRequestMessage(HttpMethod.Get, address));
        using var text = new StreamReader(response.Content.ReadAsStream());
        string answer = text.ReadToEnd();
        return response.IsSuccessStatusCode ? answer : throw new LabException(answer);
    }

    public static async Task<string> AskAsync(Uri address) => await Client.GetStringAsync(address).ConfigureAwait(false);
}
