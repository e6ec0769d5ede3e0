namespace Millrace.Transfer.Server;

/// <summary>Decides which links are valid: signed ones to files, and those to folders with their passwords. Thread-safe; one per application.</summary>
internal sealed class LinkGuard(TransferAccessOptions options, TimeProvider clock, ILogger logger) : IDisposable
{
    public LinkPasswords Passwords { get; } = new();

    /// <summary>The link to a folder that a request brings; its password too, where it has one.</summary>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Forbidden"/>: it is not valid. <see cref="TransferError.Unauthorized"/>: its password is missing, or another
    /// one. <see cref="TransferError.TooManyTransfers"/>: too many were tried.
    /// </exception>
    public async ValueTask<FolderLinkRecord> OpenAsync(HttpContext context)
    {
        // In a query, the secret has nothing to do with the password beside it.
        (string Text, string? Password)? basic = context.Request.Query.ContainsKey(LinkSecret.Key) ? null : LinkSecret.BasicIn(context.Request);
        if (basic is not null)
        {
            BasicCredentials.ThrowIfNotAllowed(context, options);
        }

        (FolderLinkRecord link, LinkSecret secret, LinkKey key) = await FindAsync(context, LinkSecret.TextIn(context.Request) ?? "");
        if (link.Password is { } password && !secret.HasPassword(key, password, clock.GetUtcNow()))
        {
            string given = (basic is null ? BasicCredentials.PasswordOf(context, options) : basic.Value.Password) ?? throw new TransferException(
                TransferError.Unauthorized, "This link needs its password. The page asks for it; programs send it by Basic authentication, with any name.");
            await Passwords.CheckAsync(link, given, TransferObservation.CallerOf(context), context.RequestAborted);
        }

        context.Features.Get<RequestLinks>()!.Opened = link;
        return link;
    }

    /// <summary>A link that is valid, with or without its password.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>: it is not.</exception>
    public async ValueTask<(FolderLinkRecord Link, LinkSecret Secret, LinkKey Key)> FindAsync(HttpContext context, string text)
    {
        // A made-up secret causes no request to the store.
        LinkKey? key = options.Tokens?.Read().Key;
        return key is not null
            && context.Features.Get<RequestLinks>()?.Documents is { } documents
            && LinkSecret.TryParse(text, key, out LinkSecret secret)
            && await FolderLinks.ReadAsync(documents, secret.Id, context.RequestAborted) is { } link
            && link.Expires > clock.GetUtcNow()
                ? (link, secret, key)
                : throw new TransferException(TransferError.Forbidden, LinkHandler.Refused);
    }

    /// <summary>Lets the links of a store be found by the schemes, which do not know the store of a request.</summary>
    public static void Bind(HttpContext context, IFileStore store)
    {
        if (context.Features.Get<RequestLinks>() is null)
        {
            context.Features.Set(new RequestLinks(store.Documents));
        }
    }

    /// <summary>The links to folders of a store.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it has none.</exception>
    public FolderLinks Of(IFileStore store) => options.Tokens is { } tokens && store.Documents is { } documents
        ? new FolderLinks(documents, tokens, clock)
        : throw Errors.Invalid("This server has no place for links to folders: it needs tokens, and a store that keeps documents.");

    /// <summary>The key that signs links; created if there is none.</summary>
    public async ValueTask<LinkKey> GetKeyAsync(CancellationToken cancellationToken)
    {
        TokenStore tokens = options.Tokens
            ?? throw Errors.Invalid("This server has no token file, and so no key to sign links.");
        try
        {
            return tokens.CanSignLinks
                ? await tokens.GetLinkKeyAsync(cancellationToken)
                : throw new TransferException(
                    TransferError.Forbidden, $"{TokenStore.HasNoLinkKey} ({options.NameOf("TokenStore.GetLinkKeyAsync")}).");
        }
        catch (IOException exception) when (exception is not TransferException { Error: not TransferError.Failed })
        {
            logger.LinkKeyMissing(exception.Message);
            throw new TransferException(
                TransferError.Failed, "The server cannot create the key for signing links; its log has the reason.", innerException: exception);
        }
    }

    /// <summary>Whether links can be signed; false while the tokens cannot be read.</summary>
    public bool CanSign
    {
        get
        {
            try
            {
                return options.Tokens?.CanSignLinks == true;
            }
            catch (TransferException)
            {
                return false;
            }
        }
    }

    /// <summary>The link that a request has opened, and where it is kept; null without one.</summary>
    public static (FolderLinkRecord Link, IStoreDocuments Documents)? OpenedIn(HttpContext context) =>
        context.Features.Get<RequestLinks>() is { Opened: { } link, Documents: { } documents } ? (link, documents) : null;

    /// <summary>The scope of a signed link; <see cref="TransferScope.None"/> if it is not valid.</summary>
    public TransferScope ScopeOf(HttpRequest request, TransferName name, out TransferName prefix) =>
        SignedLink.ScopeOf(options.Tokens?.Read().Key, request, name, clock.GetUtcNow(), out prefix);

    public void Dispose() => Passwords.Dispose();

    /// <summary>The links of a request's store, and the one that the request has opened.</summary>
    private sealed class RequestLinks(IStoreDocuments? documents)
    {
        public IStoreDocuments? Documents => documents;

        public FolderLinkRecord? Opened { get; set; }
    }
}
