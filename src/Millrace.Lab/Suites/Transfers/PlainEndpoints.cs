using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The server's end of the rows HttpClient.</summary>
/// <param name="folder">What is served, and where uploads arrive.</param>
internal sealed class PlainEndpoints(string folder)
{
    /// <summary>Where the files are.</summary>
    public const string FilesPath = "plain/files/";

    /// <summary>Where the digest of the last file that was sent is. One transfer runs at a time.</summary>
    public const string DigestPath = "plain/digest";

    private const string NameKey = "name";

    private Sha256Digest? _sent;

    /// <summary>Adds them to an application.</summary>
    public void Map(IEndpointRouteBuilder endpoints)
    {
        const string Pattern = "/" + FilesPath + "{" + NameKey + "}";
        endpoints.MapMethods(Pattern, [HttpMethods.Get], SendAsync);
        endpoints.MapMethods(Pattern, [HttpMethods.Put], ReceiveAsync);
        endpoints.MapMethods("/" + DigestPath, [HttpMethods.Get], context => context.Response.WriteAsync($"{_sent}"));
    }

    private async Task SendAsync(HttpContext context)
    {
        int buffer = BufferOf(context);
        FileStream file = PlainCopy.OpenRead(PathOf(context), buffer);
        await using (file.ConfigureAwait(false))
        {
            context.Response.ContentType = "application/octet-stream";
            if (Asks(context, "gzip"))
            {
                context.Response.Headers.ContentEncoding = PlainCopy.Gzip;
                await PlainCopy.EncodeAsync(file, context.Response.Body, buffer).ConfigureAwait(false);
                return;
            }

            context.Response.ContentLength = file.Length;
            _sent = await PlainCopy.CopyAsync(file, context.Response.Body, buffer, Asks(context, "digest"))
                .ConfigureAwait(false);
        }
    }

    private async Task ReceiveAsync(HttpContext context)
    {
        // A server's usual limit is 30 MB, and this file is longer.
        context.Features.GetRequiredFeature<IHttpMaxRequestBodySizeFeature>().MaxRequestBodySize = null;
        Sha256Digest? digest = await PlainCopy.ToFileAsync(
            context.Request.Body,
            PathOf(context),
            BufferOf(context),
            Asks(context, "digest"),
            Asks(context, "durable"),
            context.Request.Headers.ContentEncoding.Count > 0).ConfigureAwait(false);
        context.Response.StatusCode = StatusCodes.Status201Created;
        await context.Response.WriteAsync($"{digest}").ConfigureAwait(false);
    }

    // Only the laboratory asks, on loopback; a name is one of its own.
    private string PathOf(HttpContext context) =>
        Path.Combine(folder, Path.GetFileName((string)context.Request.RouteValues[NameKey]!));

    private static int BufferOf(HttpContext context) =>
        int.Parse(context.Request.Query["buffer"]!, CultureInfo.InvariantCulture);

    private static bool Asks(HttpContext context, string what) => bool.Parse(context.Request.Query[what]!);
}
