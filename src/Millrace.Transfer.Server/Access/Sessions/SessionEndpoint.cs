using Microsoft.AspNetCore.Authentication;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Exchanges a token for a session, returns a session's permissions, and ends it.</summary>
internal sealed class SessionEndpoint(IFileStore store, TransferServerOptions options)
{
    private const string Allowed = "GET, HEAD, POST, DELETE";

    public Task HandleAsync(HttpContext context)
    {
        context.Response.Headers.CacheControl = "no-store";
        string method = context.Request.Method;
        return Problems.RunAsync(context, HttpMethods.IsGet(method) || HttpMethods.IsHead(method) ? DescribeAsync
            : HttpMethods.IsPost(method) ? SignInAsync
            : HttpMethods.IsDelete(method) ? SignOutAsync
            : static _ => throw new Refusal(TransferError.InvalidRequest, $"Methods of a session: {Allowed}.")
            {
                Status = StatusCodes.Status405MethodNotAllowed,
                Field = HeaderNames.Allow,
                FieldValue = Allowed,
            });
    }

    private async Task DescribeAsync(HttpContext context)
    {
        TransferGuard guard = TransferGuard.Of(context);
        AuthenticateResult? found = await guard.FindUserAsync(context, store);
        bool isLink = LinkSecret.IsIn(context.Request);
        OpenedLinkDocument? link = isLink ? await DescribeLinkAsync(context, guard, found is not null) : null;
        bool isRequired = !guard.IsOpen;
        TransferScope scopes = isLink ? found is null ? TransferScope.None : ScopeRequirement.ScopesOf(found.Principal!)
            : found is not null ? ScopeRequirement.ScopesOf(found.Principal!) | guard.PublicScopes
            : isRequired ? guard.PublicScopes
            : TransferScope.All & ~TransferScope.Link;
        scopes &= guard.Options.ReadOnly ? TransferScope.Read | TransferScope.List | TransferScope.Link : TransferScope.All;
        await JsonAnswer.WriteAsync(
            context,
            new SessionDocument
            {
                Required = isRequired,
                Pin = guard.Options.Pins is not null,
                SignedIn = found is not null && !isLink,
                Name = isLink ? null : found?.Principal!.Identity!.Name?.TrimStart(':'),
                Link = link,
                FolderLinks = scopes.HasFlag(TransferScope.Link) && guard.Links.CanSign && store.Documents is not null,
                Scopes = [.. TransferScopes.ToText(scopes).Split(',', StringSplitOptions.RemoveEmptyEntries)],
                Public = guard.PublicScopes == TransferScope.None ? null : TransferScopes.ToText(guard.PublicScopes).Split(','),
                Prefix = found is null ? "" : ScopeRequirement.PrefixOf(found.Principal!).Value,
                Expires = found?.Properties?.ExpiresUtc ?? (found is null ? null : ScopeRequirement.ExpiryOf(found.Principal!)),
                MaxFileBytes = store.MaxFileBytes,
                MaxRequestBytes = options.MaxRequestBytes,
                Uploads = PageShell.PathOf(context, options.UploadsPath),
                CanLink = scopes.HasFlag(TransferScope.Link) && guard.Links.CanSign,
                Archives = options.Archives,
                FolderMoves = store.CanMoveFolders,
                Copies = options.WebDav,
                Trash = store.Trash is null ? null : PageShell.PathOf(context, TrashEndpoint.Path),
                PortableNames = store.Names == AllowedNames.Portable,
                FreeBytes = !isLink && !guard.Options.ReadOnly && (scopes & (TransferScope.List | TransferScope.Write)) != TransferScope.None ? FreeBytes() : null,
                Title = isLink ? found is null ? "" : ScopeRequirement.PrefixOf(found.Principal!).FileName
                    : !isRequired || found is not null || guard.IsPublic(TransferScope.List) ? store.Title()
                    : "",
            },
            ServerJson.Default.SessionDocument);
    }

    private static async ValueTask<OpenedLinkDocument> DescribeLinkAsync(HttpContext context, TransferGuard guard, bool isOpened)
    {
        try
        {
            (FolderLinkRecord link, _, _) = await guard.Links.FindAsync(context, LinkSecret.TextIn(context.Request) ?? "");
            return isOpened ? LinkEndpoint.Describe(link) : new OpenedLinkDocument { State = "locked" };
        }
        catch (TransferException)
        {
            return new OpenedLinkDocument { State = "invalid" };
        }
    }

    /// <summary>Unknown also if the device fails: the page's permissions are reported nevertheless.</summary>
    private long? FreeBytes()
    {
        try
        {
            return store.Space.AvailableBytes;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private async Task SignInAsync(HttpContext context)
    {
        TransferGuard guard = TransferGuard.Of(context);
        try
        {
            await CrossSiteRequest.ThrowIfNotAllowedAsync(context, guard.Options);
            guard.Cookie.ThrowIfUnfit(context);
            SignInDocument wanted = await JsonAnswer.ReadAsync(context, ServerJson.Default.SignInDocument);
            string secret = wanted.Token ?? throw Errors.Invalid("Send the token as {\"token\":\"...\"}.");
            TransferToken? token = guard.FindToken(secret);
            if (token is null && guard.Options.Pins is { } pins && PinStore.IsPin(secret))
            {
                (secret, token) = Redeem(context, guard, pins, secret);
            }

            if (token is null)
            {
                throw guard.RefuseTry(context);
            }

            // The session of an earlier cookie ends; its id must not be the new session's, because an attacker may have set it.
            guard.Sessions.End(guard.Cookie.IdOf(context) ?? "");
            guard.Cookie.Write(context, guard.Sessions.Begin(secret, token));
            context.Response.StatusCode = StatusCodes.Status204NoContent;
        }
        catch (TransferException exception)
        {
            guard.ObserveRefusal(context, exception.Error);
            throw guard.HidePath(exception);
        }
    }

    private static (string Secret, TransferToken Token) Redeem(HttpContext context, TransferGuard guard, PinStore pins, string pin)
    {
        bool isEncrypted = context.Request.IsHttps || guard.Options.PublicUrl?.Scheme == Uri.UriSchemeHttps;
        return !isEncrypted && PinStore.IsBeyondPrivate(context.Connection.RemoteIpAddress)
            ? throw new TransferException(
                TransferError.Forbidden, "Without HTTPS, the PIN works from private networks only, because others could read it on the way. Use HTTPS, or a token.")
            : pins.Redeem(pin) ?? throw new TransferException(
                TransferError.Unauthorized, "The PIN is wrong, was used, or has ended: it is valid for ten minutes, one browser and five tries. The server prints another one when somebody presses Enter there.");
    }

    private static async Task SignOutAsync(HttpContext context)
    {
        TransferGuard guard = TransferGuard.Of(context);
        try
        {
            await CrossSiteRequest.ThrowIfNotAllowedAsync(context, guard.Options);
            if (guard.Cookie.IdOf(context) is { } id)
            {
                CrossSiteRequest.ThrowIfNotOwnPage(context.Request, guard.Options);
                guard.Sessions.End(id);
                guard.Cookie.Delete(context);
            }
        }
        catch (TransferException exception)
        {
            guard.ObserveRefusal(context, exception.Error);
            throw;
        }

        // Otherwise the browser's Back shows the session's listings.
        context.Response.Headers["Clear-Site-Data"] = "\"cache\"";
        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }
}
