using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Microsoft.AspNetCore.WebUtilities;

namespace Millrace.Kestrel;

/// <summary>Sends interim responses (RFC 9110, section 15.2), for which Kestrel has no API.</summary>
public static class InterimResponses
{
    private const int UploadResumptionSupported = 104;
    private const int FirstStatus = 102;
    private const int LastStatus = 199;

    /// <summary>
    /// Makes <see cref="TrySendInterimAsync"/> work over HTTP/2, with any transport. Call it after <c>UseHttps</c>: the frames of HTTP/2
    /// have to be readable. Connections of HTTP/1.1 and HTTP/3 are left as they are.
    /// </summary>
    /// <param name="listen">The endpoint.</param>
    /// <returns><paramref name="listen"/>.</returns>
    /// <remarks><see cref="Http2PriorKnowledge.ListenWithHttp2PriorKnowledge"/> calls it.</remarks>
    public static ListenOptions UseMillraceInterimResponses(this ListenOptions listen)
    {
        ArgumentNullException.ThrowIfNull(listen);
        listen.Use(next => connection => IsHttp2(connection, listen.Protocols) ? RunAsync(connection, next) : next(connection));
        return listen;
    }

    /// <summary>
    /// Sends an interim response, if the connection allows it: HTTP/1.1 always, HTTP/2 after <see cref="UseMillraceInterimResponses"/>,
    /// HTTP/3 never.
    /// </summary>
    /// <param name="response">
    /// The response, which must not begin before the call completes. Over HTTP/1.1 no other call and no read of the request's body may be pending
    /// meanwhile, either.
    /// </param>
    /// <param name="statusCode">102 to 199. Kestrel sends 100 itself.</param>
    /// <param name="fields">Names, and values of visible ASCII characters and spaces.</param>
    /// <returns>
    /// Whether the response was sent. Over HTTP/2 it is sent before everything that follows, and the call does not wait for a client
    /// that does not read: if an earlier one of the request still waits for that, this one is dropped, and the result is false.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The status is outside of the range.</exception>
    /// <exception cref="ArgumentException">A name or a value has other characters.</exception>
    /// <exception cref="OperationCanceledException">The client has gone (HTTP/1.1).</exception>
    public static ValueTask<bool> TrySendInterimAsync(
        this HttpResponse response, int statusCode, IReadOnlyCollection<KeyValuePair<string, string>> fields)
    {
        ArgumentNullException.ThrowIfNull(response);
        ArgumentNullException.ThrowIfNull(fields);
        ArgumentOutOfRangeException.ThrowIfLessThan(statusCode, FirstStatus);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(statusCode, LastStatus);
        foreach ((string name, string value) in fields)
        {
            if (!IsValid(name, value))
            {
                throw new ArgumentException(
                    $"Field '{name}' cannot be sent. Use a token (RFC 9110, section 5.6.2) as its name, visible ASCII characters and spaces as its value.",
                    nameof(fields));
            }
        }

        HttpContext context = response.HttpContext;
        if (response.HasStarted || context.RequestAborted.IsCancellationRequested)
        {
            return new(false);
        }

        // Over HTTP/1.1, nothing else writes to the connection: its earlier output was flushed before this request was read, 100 Continue is
        // sent during the first read of the body, and the response has not begun.
        return HttpProtocol.IsHttp11(context.Request.Protocol)
            && context.Features.Get<IConnectionTransportFeature>() is { Transport.Output: { } output }
            ? SendLinesAsync(output, statusCode, fields, context.RequestAborted)
            : new(HttpProtocol.IsHttp2(context.Request.Protocol)
                && context.Features.Get<InterimConnection>() is { } connection
                && context.Features.Get<IHttp2StreamIdFeature>() is { StreamId: int stream }
                && InterimFrame.Create(stream, statusCode, fields) is { } frame
                && connection.Output.TrySend(frame));
    }

    private static async ValueTask<bool> SendLinesAsync(
        PipeWriter output, int statusCode, IEnumerable<KeyValuePair<string, string>> fields, CancellationToken aborted)
    {
        string phrase = statusCode == UploadResumptionSupported ? "Upload Resumption Supported" : ReasonPhrases.GetReasonPhrase(statusCode);
        var lines = new StringBuilder().Append(CultureInfo.InvariantCulture, $"HTTP/1.1 {statusCode} {phrase}\r\n");
        foreach ((string name, string value) in fields)
        {
            lines.Append(CultureInfo.InvariantCulture, $"{name}: {value}\r\n");
        }

        Encoding.ASCII.GetBytes(lines.Append("\r\n").ToString(), output);
        await output.FlushAsync(aborted);
        return true;
    }

    private static bool IsValid(string name, string value) => name.Length > 0
        && name.All(static c => char.IsAsciiLetterOrDigit(c) || "!#$%&'*+-.^_`|~".Contains(c, StringComparison.Ordinal))
        && !value.AsSpan().ContainsAnyExceptInRange(' ', '~');

    /// <summary>
    /// Whether Kestrel will serve a connection as HTTP/2: by ALPN, and without TLS where nothing else is offered. False if the connection
    /// is prepared already.
    /// </summary>
    private static bool IsHttp2(ConnectionContext connection, HttpProtocols protocols) => connection.Features.Get<InterimConnection>() is null
        && (connection.Features.Get<ITlsHandshakeFeature>() is not null
            ? connection.Features.Get<ITlsApplicationProtocolFeature>()?.ApplicationProtocol.Span.SequenceEqual("h2"u8) == true
            : protocols.HasFlag(HttpProtocols.Http2) && !protocols.HasFlag(HttpProtocols.Http1));

    private static async Task RunAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        IDuplexPipe transport = connection.Transport;
        var interim = new InterimConnection(transport);
        connection.Features.Set(interim);
        connection.Transport = interim;
        try
        {
            await next(connection);
        }
        finally
        {
            await interim.Output.CloseAsync();
            connection.Transport = transport;
        }
    }
}
