using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;

namespace Millrace.Testing;

/// <summary>Receives events over HTTP, as a program would that follows a server.</summary>
internal sealed class HookReceiver : IAsyncDisposable
{
    public const string Secret = "a secret of the tests of hooks";

    private readonly WebApplication _application;
    private readonly List<Received> _received = [];
    private readonly HashSet<string> _ids = [];
    private int _requests;

    private HookReceiver(int port)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, port));
        _application = builder.Build();
        _application.Run(ReceiveAsync);
    }

    public Uri Url => new(new Uri(_application.Urls.Single()), "/events");

    /// <summary>Returns the status; called with the number of the request, from 1.</summary>
    public Func<int, HttpContext, Task<int>> Answer { get; set; } = static (_, _) => Task.FromResult(204);

    public int Requests => Volatile.Read(ref _requests);

    /// <summary>Requests whose signature was wrong.</summary>
    public int Unsigned { get; private set; }

    /// <summary>The events that were accepted, each once.</summary>
    public IReadOnlyList<Received> Events
    {
        get
        {
            lock (_received)
            {
                return [.. _received];
            }
        }
    }

    public int Count
    {
        get
        {
            lock (_received)
            {
                return _received.Count;
            }
        }
    }

    /// <summary>The accepted events of each name, those of moved files under both.</summary>
    public ILookup<string, Received> ByName => Events
        .SelectMany(static e => new[] { e.Subject, e.From }.OfType<string>(), static (e, name) => (Name: name, Event: e))
        .ToLookup(static pair => pair.Name, static pair => pair.Event);

    public static async Task<HookReceiver> StartAsync(int port = 0)
    {
        var receiver = new HookReceiver(port);
        await receiver._application.StartAsync();
        return receiver;
    }

    public async ValueTask DisposeAsync() => await _application.DisposeAsync();

    private async Task ReceiveAsync(HttpContext context)
    {
        int number = Interlocked.Increment(ref _requests);
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        byte[] bytes = body.ToArray();
        context.Response.StatusCode = await Answer(number, context);
        if (context.Response.StatusCode is < 200 or >= 300)
        {
            return;
        }

        JsonElement json = JsonDocument.Parse(bytes).RootElement;
        string id = json.GetProperty("id").GetString()!;
        IHeaderDictionary headers = context.Request.Headers;
        byte[] signed = [.. Encoding.UTF8.GetBytes($"{id}.{headers["webhook-timestamp"]}."), .. bytes];
        string expected = "v1," + Convert.ToBase64String(HMACSHA256.HashData(Encoding.UTF8.GetBytes(Secret), signed));
        lock (_received)
        {
            if (headers["webhook-signature"] != expected || headers["webhook-id"] != id)
            {
                Unsigned++;
            }

            if (_ids.Add(id))
            {
                _received.Add(new Received(json));
            }
        }
    }

    internal sealed record Received(JsonElement Json)
    {
        public string Type => Json.GetProperty("type").GetString()!["millrace.".Length..];

        public string? Subject => Text(Json, "subject");

        public JsonElement Data => Json.GetProperty("data");

        public string? From => Text(Data, "from");

        public long? Size => Data.TryGetProperty("size", out JsonElement size) ? size.GetInt64() : null;

        public override string ToString() =>
            $"{Type} {(From is null ? "" : From + " > ")}{Subject}{(Size is { } size ? $" {size}" : "")}";

        public static string? Text(JsonElement json, string name) => json.TryGetProperty(name, out JsonElement text) ? text.GetString() : null;
    }
}
