using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Signs links to files, and makes, lists, opens and revokes links to folders, for tokens that have the scope for it.</summary>
internal sealed class LinkEndpoint(IFileStore store, TransferServerOptions options)
{
    /// <summary>Seconds for which a link is valid: seven days, as of other services.</summary>
    private const long MaxSeconds = 7 * 24 * 60 * 60;

    /// <summary>For how long a password that was given to the page is not asked for again.</summary>
    private static readonly TimeSpan LongestOpen = TimeSpan.FromHours(12);

    public Task HandleAsync(HttpContext context)
    {
        context.Response.Headers.CacheControl = "no-store";
        string method = context.Request.Method;
        return Problems.RunAsync(context, HttpMethods.IsPost(method) ? CreateAsync
            : HttpMethods.IsGet(method) || HttpMethods.IsHead(method) ? ListAsync
            : static _ => throw NotAllowed("GET, HEAD, POST"));
    }

    /// <summary>DELETE of one link to a folder; POST to open one with its password.</summary>
    public Task HandleOneAsync(HttpContext context)
    {
        context.Response.Headers.CacheControl = "no-store";
        string id = (string)context.Request.RouteValues["id"]!;
        bool isOpen = id == "open";
        return Problems.RunAsync(context, isOpen && HttpMethods.IsPost(context.Request.Method) ? OpenAsync
            : !isOpen && HttpMethods.IsDelete(context.Request.Method) ? one => RevokeAsync(one, id)
            : _ => throw NotAllowed(isOpen ? HttpMethods.Post : HttpMethods.Delete));
    }

    private static Refusal NotAllowed(string allowed) => new(TransferError.InvalidRequest, $"Methods here: {allowed}.")
    {
        Status = StatusCodes.Status405MethodNotAllowed,
        Field = HeaderNames.Allow,
        FieldValue = allowed,
    };

    private async Task ListAsync(HttpContext context)
    {
        IReadOnlyList<FolderLink> links = await LinkWork.ListAsync(context, store);
        await JsonAnswer.WriteAsync(
            context, new FolderLinksDocument { Links = [.. links.Select(FolderLinkDocument.Of)] }, ServerJson.Default.FolderLinksDocument);
    }

    private async Task RevokeAsync(HttpContext context, string id)
    {
        await LinkWork.RevokeAsync(context, store, id);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    private async Task OpenAsync(HttpContext context)
    {
        TransferGuard guard = TransferGuard.Of(context);
        try
        {
            await CrossSiteRequest.ThrowIfNotAllowedAsync(context, guard.Options);
            OpenLinkDocument wanted = await JsonAnswer.ReadAsync(context, ServerJson.Default.OpenLinkDocument);
            LinkGuard.Bind(context, store);
            (FolderLinkRecord link, LinkSecret secret, LinkKey key) = await guard.Links.FindAsync(context, wanted.Secret ?? "");
            string? opened = null;
            if (link.Password is { } password)
            {
                await guard.Links.Passwords.CheckAsync(link, wanted.Password ?? "", TransferObservation.CallerOf(context), context.RequestAborted);
                DateTimeOffset until = guard.Now + LongestOpen;
                opened = secret.WithPassword(key, password, until < link.Expires ? until : link.Expires);
            }

            await JsonAnswer.WriteAsync(context, Describe(link) with { Secret = opened }, ServerJson.Default.OpenedLinkDocument);
        }
        catch (TransferException exception)
        {
            guard.ObserveRefusal(context, exception.Error);
            throw guard.HidePath(exception);
        }
    }

    /// <summary>The facts about a link that are shown to anyone who has it.</summary>
    public static OpenedLinkDocument Describe(FolderLinkRecord link) => new()
    {
        State = "valid",
        Kind = link.IsDrop ? "drop" : "read",
        Expires = link.Expires,
        AsksName = link.AsksName,
        Limited = link.IsLimited,
    };

    private async Task CreateFolderAsync(HttpContext context, LinkRequestDocument wanted)
    {
        CreatedFolderLink made = await LinkWork.CreateAsync(context, store, new FolderLinkOptions
        {
            Folder = (wanted.Name ?? "").TrimEnd('/') is { Length: > 0 } folder ? TransferName.Parse(folder) : default,
            IsDrop = wanted.Kind switch
            {
                "read" => false,
                "drop" => true,
                _ => throw Errors.Invalid("The kind of a link to a folder is read or drop."),
            },
            Lifetime = LinkWork.Seconds(wanted.Seconds),
            Password = wanted.Password,
            MaxUses = wanted.MaxUses,
            MaxBytes = wanted.MaxBytes,
            AsksName = wanted.AsksName,
        });
        await JsonAnswer.WriteAsync(
            context,
            new LinkDocument { Url = LinkWork.UrlOf(context, options, made), Expires = made.Link.Expires, Id = made.Link.Id },
            ServerJson.Default.LinkDocument);
    }

    private async Task CreateAsync(HttpContext context)
    {
        LinkRequestDocument wanted = await JsonAnswer.ReadAsync(context, ServerJson.Default.LinkRequestDocument);
        if (wanted.Kind is not null)
        {
            await CreateFolderAsync(context, wanted);
            return;
        }

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
            await guard.Links.GetKeyAsync(context.RequestAborted), wanted.Method, name, expires, ScopeRequirement.PrefixOf(context.User));

        string files = LinkWork.FilesOf(context, options);
        await JsonAnswer.WriteAsync(
            context,
            new LinkDocument { Url = $"{files}/{name.ToEncoded()}?{query}", Expires = expires },
            ServerJson.Default.LinkDocument);
    }
}
