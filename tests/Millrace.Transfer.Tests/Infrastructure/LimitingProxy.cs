using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>
/// A reverse proxy that reads every request to its end before it passes it on, as nginx does by default, and limits requests: it
/// refuses those that announce too many bytes, or cuts the connection after too many.
/// </summary>
internal sealed class LimitingProxy : IAsyncDisposable
{
    private readonly HttpClient _client = new();
    private HostileServer _server = null!;
    private long _received;
    private int _refused;
    private int _cut;
    private long _longest;

    public Uri Files => _server.Files;

    /// <summary>Bytes of bodies that it has read, those in vain included.</summary>
    public long Received => Interlocked.Read(ref _received);

    /// <summary>Requests that it has refused.</summary>
    public int Refused => Volatile.Read(ref _refused);

    /// <summary>Requests that it has cut.</summary>
    public int Cut => Volatile.Read(ref _cut);

    /// <summary>The most bytes of a body that it has passed on.</summary>
    public long Longest => Interlocked.Read(ref _longest);

    /// <summary>Decides about a request; true when it has answered.</summary>
    public Func<HttpContext, bool> Answers { get; init; } = static _ => false;

    /// <summary>More bytes than this are refused with 413.</summary>
    public long MaxBytes { get; set; } = long.MaxValue;

    /// <summary>A connection that brings more bytes than this in one request is cut.</summary>
    public long CutAfter { get; init; } = long.MaxValue;

    public async Task<LimitingProxy> StartAsync(int target)
    {
        _client.BaseAddress = new Uri($"http://127.0.0.1:{target}");
        _server = await HostileServer.StartAsync(PassAsync);
        return this;
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _client.Dispose();
    }

    private async Task PassAsync(HttpContext context)
    {
        context.Features.Get<IHttpMaxRequestBodySizeFeature>()!.MaxRequestBodySize = null;
        if (Answers(context))
        {
            return;
        }

        if (context.Request.ContentLength > MaxBytes)
        {
            Interlocked.Increment(ref _refused);
            await HostileServer.JsonAsync(context, "<html>413 Request Entity Too Large</html>", "text/html", 413);
            return;
        }

        using var body = new MemoryStream();
        byte[] piece = new byte[64 * 1024];
        while (await context.Request.Body.ReadAsync(piece, context.RequestAborted) is var read and > 0)
        {
            Interlocked.Add(ref _received, read);
            body.Write(piece, 0, read);
            if (body.Length > CutAfter)
            {
                Interlocked.Increment(ref _cut);
                context.Abort();
                return;
            }
        }

        _longest = Math.Max(_longest, body.Length);
        using var request = new HttpRequestMessage(new HttpMethod(context.Request.Method), context.Request.Path + context.Request.QueryString);
        body.Position = 0;
        request.Content = new StreamContent(body);
        foreach ((string name, Microsoft.Extensions.Primitives.StringValues values) in context.Request.Headers)
        {
            if (name is not ("Host" or "Connection" or "Content-Length" or "Transfer-Encoding") && !request.Headers.TryAddWithoutValidation(name, values.ToArray()))
            {
                request.Content.Headers.TryAddWithoutValidation(name, values.ToArray());
            }
        }

        using HttpResponseMessage response = await _client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, context.RequestAborted);
        context.Response.StatusCode = (int)response.StatusCode;
        foreach ((string name, IEnumerable<string> values) in response.Headers.Concat(response.Content.Headers))
        {
            if (name is not ("Transfer-Encoding" or "Connection" or "Date" or "Server"))
            {
                context.Response.Headers[name] = values.ToArray();
            }
        }

        if (context.Request.Method != HttpMethods.Head && response.StatusCode != HttpStatusCode.NoContent)
        {
            await response.Content.CopyToAsync(context.Response.Body, context.RequestAborted);
        }
    }
}
