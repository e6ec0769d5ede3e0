using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>The page's own files and requests, beside files and uploads.</summary>
internal static class PageEndpoints
{
    public const string AssetsPath = "/page";
    public const string SessionPath = "/session";
    public const string LinksPath = "/links";

    private const string Immutable = "public, max-age=31536000, immutable";

    private static readonly string[] Reading = [HttpMethods.Get, HttpMethods.Head];

    public static IEndpointConventionBuilder Map(IEndpointRouteBuilder endpoints, IFileStore store, TransferServerOptions options)
    {
        endpoints.ServiceProvider.GetRequiredService<PageAssets>().IsMapped = true;
        RouteGroupBuilder group = endpoints.MapGroup("");
        group.MapMethods(
            AssetsPath + "/{hash}/{name}",
            Reading,
            (RequestDelegate)(static context => Problems.RunAsync(context, SendAsync)));
        group.Map(SessionPath, new SessionEndpoint(store, options).HandleAsync).WithMetadata(SessionCookie.Accepted);
        group.Map(LinksPath, new LinkEndpoint(store, options).HandleAsync).WithMetadata(SessionCookie.Accepted);
        group.Map(LinksPath + "/{id}", new LinkEndpoint(store, options).HandleOneAsync).WithMetadata(SessionCookie.Accepted);
        var trash = new TrashEndpoint(store);
        group.Map(TrashEndpoint.Path, trash.HandleAsync).WithMetadata(SessionCookie.Accepted);
        group.Map(TrashEndpoint.Path + "/{id}", trash.HandleAsync).WithMetadata(SessionCookie.Accepted);
        return group;
    }

    private static async Task SendAsync(HttpContext context)
    {
        HttpRequest request = context.Request;
        string hash = (string)request.RouteValues["hash"]!;
        string name = (string)request.RouteValues["name"]!;
        PageAssets.Asset asset = PageAssets.Find(hash, name)
            ?? throw new TransferException(TransferError.NotFound, "The page has no such part, or another version of it. Load the page again.");
        ContentCoding coding = ContentCoding.Accepted(request.Headers.AcceptEncoding) is [{ } first, ..] ? first : ContentCoding.Identity;
        var tag = new EntityTagHeaderValue($"\"{hash}{coding.Suffix}\"");
        HttpResponse response = context.Response;
        IHeaderDictionary fields = response.Headers;
        fields.CacheControl = Immutable;
        fields.ETag = tag.ToString();
        fields.Vary = HeaderNames.AcceptEncoding;
        fields.XContentTypeOptions = "nosniff";
        fields["Cross-Origin-Resource-Policy"] = "same-origin";

        // A worker obeys the policy that comes with its script. The one for uploads computes digests with WebAssembly.
        fields.ContentSecurityPolicy = $"default-src 'none'; script-src 'self'{(name == "worker.js" ? " 'wasm-unsafe-eval'" : "")}; connect-src 'self'";
        if (EntityTagHeaderValue.TryParseList(request.Headers.IfNoneMatch, out IList<EntityTagHeaderValue>? known)
            && known.Any(one => one.Compare(tag, useStrongComparison: false)))
        {
            response.StatusCode = StatusCodes.Status304NotModified;
            return;
        }

        byte[] body = asset.In(coding);
        response.ContentType = asset.MediaType;
        response.ContentLength = body.Length;
        if (!coding.IsIdentity)
        {
            fields.ContentEncoding = coding.Name;
        }

        if (HttpMethods.IsGet(request.Method))
        {
            await response.Body.WriteAsync(body, context.RequestAborted);
        }
    }
}
