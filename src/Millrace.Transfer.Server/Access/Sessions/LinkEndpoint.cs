using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Signs a link for a token that has the scope for it.</summary>
internal sealed class LinkEndpoint(IFileStore store, TransferServerOptions options)
{
    /// <summary>Seconds for which a link is valid: seven days, as of other services.</summary>
    private const long MaxSeconds = 7 * 24 * 60 * 60;

    public Task HandleAsync(HttpContext context) => Problems.RunAsync(context, AnswerAsync);

    private async Task AnswerAsync(HttpContext context)
    {
        if (!HttpMethods.IsPost(context.Request.Method))
        {
            throw new Refusal(TransferError.InvalidRequest, "Creating a link requires POST.")
            {
                Status = StatusCodes.Status405MethodNotAllowed,
                Field = HeaderNames.Allow,
                FieldValue = HttpMethods.Post,
            };
        }

        LinkRequestDocument wanted = await JsonAnswer.ReadAsync(context, ServerJson.Default.LinkRequestDocument);
        TransferName name = TransferName.Parse(wanted.Name ?? "");
        bool isRead = wanted.Method == HttpMethods.Get;
        if (wanted.Seconds is < 1 or > MaxSeconds || !(isRead || wanted.Method == HttpMethods.Put))
        {
            throw Errors.Invalid($"A link is for GET or PUT, and for 1 to {MaxSeconds} seconds.", name.Value);
        }

        TransferGuard guard = TransferGuard.Of(context);
        using TransferPass pass = await guard.EnterAsync(
            context, store, isRead ? TransferOperation.LinkDownload : TransferOperation.LinkUpload, name);
        if (pass.Owner is null)
        {
            throw new TransferException(
                TransferError.Forbidden, "This server needs no token, so a link would allow no more than the URL.", name.Value);
        }

        DateTimeOffset expires = guard.Now + TimeSpan.FromSeconds(wanted.Seconds);
        if (ScopeRequirement.ExpiryOf(context.User) is { } end && end < expires)
        {
            expires = end;
        }

        string query = SignedLink.CreateQuery(
            await guard.GetLinkKeyAsync(context.RequestAborted), wanted.Method, name, expires, ScopeRequirement.PrefixOf(context.User));

        // Without its public URL, only the browser knows the scheme and the host before a proxy.
        string files = guard.Options.PublicUrl?.GetLeftPart(UriPartial.Authority) + PageShell.PathOf(context, options.FilesPath);
        context.Response.Headers.CacheControl = "no-store";
        await JsonAnswer.WriteAsync(
            context,
            new LinkDocument { Url = $"{files}/{name.ToEncoded()}?{query}", Expires = expires },
            ServerJson.Default.LinkDocument);
    }
}
