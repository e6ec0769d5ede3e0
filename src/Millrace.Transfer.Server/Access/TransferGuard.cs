using System.Security.Claims;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authorization;
using Microsoft.Extensions.Options;

namespace Millrace.Transfer.Server;

/// <summary>
/// Decides for every endpoint whether a request is allowed, and whether the caller may run another transfer.
/// Thread-safe; one per application.
/// </summary>
/// <remarks>
/// Endpoints ask here instead of through the authorization middleware, because the name of the file is known only after an
/// endpoint has parsed the request, and because each protocol reports refusals in its own form.
/// </remarks>
internal sealed class TransferGuard : IDisposable
{
    private const string Tokens = "TransferAccessOptions.Tokens";

    private readonly TransferAccessOptions _options;
    private readonly TimeProvider _clock;
    private readonly TransferMeter _meter;
    private readonly ILogger _logger;
    private volatile bool _sawToken;

    public TransferGuard(
        IOptions<TransferAccessOptions> options, SessionStore sessions, SessionCookie cookie, TimeProvider clock, TransferMeter meter,
        ILoggerFactory loggers)
    {
        Sessions = sessions;
        Cookie = cookie;
        _options = options.Value;
        _clock = clock;
        _meter = meter;
        _logger = loggers.CreateLogger(TransferDiagnostics.Name);
        Links = new LinkGuard(_options, clock, _logger);
        Limits = new CallerLimits(_options.Limits);
        Rates = new RateLimits(_options.Limits, clock, meter);
    }

    /// <summary>Decides about links.</summary>
    public LinkGuard Links { get; }

    /// <summary>What callers may do at once.</summary>
    public CallerLimits Limits { get; }

    /// <summary>The limits of the rate.</summary>
    public RateLimits Rates { get; }

    public SessionStore Sessions { get; }

    public SessionCookie Cookie { get; }

    public DateTimeOffset Now => _clock.GetUtcNow();

    public TransferAccessOptions Options => _options;

    /// <summary>Whether a request without a token or a link is refused; stays true once a token was seen.</summary>
    public bool NeedsToken
    {
        get
        {
            if (!_sawToken && (!_options.OpenWithoutTokens || _options.Tokens?.Read().Tokens.Count > 0))
            {
                _sawToken = true;
            }

            return _sawToken;
        }
    }

    /// <summary>Whether everybody may come in; false while the tokens cannot be read.</summary>
    public bool IsOpen
    {
        get
        {
            try
            {
                return !NeedsToken;
            }
            catch (TransferException)
            {
                return false;
            }
        }
    }

    /// <summary>The scopes of a caller without a token, where all others need one.</summary>
    public TransferScope PublicScopes => _options.PublicScopes;

    /// <summary>Whether these scopes need no token.</summary>
    public bool IsPublic(TransferScope scope) => PublicScopes != TransferScope.None && (PublicScopes & scope) == scope;

    /// <summary>Whether a request is served without credentials, so that a page of any site could send it.</summary>
    /// <remarks>A page can make up the cookie; a token or a link that is not valid is refused.</remarks>
    public bool LetsIn(HttpRequest request) => IsOpen
        || (PublicScopes != TransferScope.None && !request.Headers.ContainsKey("Authorization") && !SignedLink.IsIn(request) && !LinkSecret.IsIn(request));

    /// <exception cref="InvalidOperationException">The application did not register it: nothing may be served then.</exception>
    public static TransferGuard Of(IServiceProvider services) =>
        services.GetService<TransferGuard>() ?? throw new InvalidOperationException(
            "Access control for Millrace's endpoints is not registered, so they are not served. Add 'builder.Services.AddMillraceTransfer(options => ...);' before 'builder.Build()'.");

    public static TransferGuard Of(HttpContext context) => Of(context.RequestServices);

    /// <summary>Authorizes a request and, for a transfer, takes one of the caller's slots.</summary>
    /// <param name="context">The request.</param>
    /// <param name="store">The store it acts on.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="name">The file or folder; <c>default</c> for the root, or without a name.</param>
    /// <param name="second">Another file or folder, for which the same is needed; null without one.</param>
    /// <returns>To be disposed at the end of the request.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Unauthorized"/>, <see cref="TransferError.Forbidden"/>,
    /// <see cref="TransferError.TooManyTransfers"/>, <see cref="TransferError.TooLarge"/>, <see cref="TransferError.InvalidName"/>.
    /// </exception>
    public async ValueTask<TransferPass> EnterAsync(
        HttpContext context, IFileStore store, TransferOperation operation, TransferName name, TransferName? second = null)
    {
        // Like names that cannot be parsed: nothing was asked of a store.
        store.Names.Check(name);
        store.Names.Check(second ?? default);
        TransferObservation observation = TransferObservation.Begin(_meter, _logger, context, operation.Scope, name);
        try
        {
            await CrossSiteRequest.ThrowIfNotAllowedAsync(context, _options);
            store = (store as DropStore)?.Whole ?? store;
            if (LinkSecret.IsIn(context.Request))
            {
                LinkGuard.Bind(context, store);
            }

            string? owner = await AuthorizeAsync(context, operation.Scope, name);
            if (second is { } other)
            {
                await AuthorizeAsync(context, operation.Scope, other);
            }

            if (_options.ReadOnly && operation.IsChange)
            {
                throw Errors.ReadOnly(name);
            }

            // The name of a token has no colon, so it cannot be mistaken for an address.
            bool isLink = LinkHandler.IsLink(context.User);
            if (isLink && operation.IsClosedToLinks)
            {
                throw new TransferException(TransferError.Forbidden, LinkHandler.Refused);
            }

            LinkUse? use = isLink ? await EnterByLinkAsync(context, store, operation) : null;
            string caller = owner is null || isLink ? ":" + TransferObservation.CallerOf(context) : owner;
            TransferName prefix = IsPublic(operation.Scope) && !isLink ? default : ScopeRequirement.PrefixOf(context.User);
            IFileStore within = store.Within(prefix).OnBehalfOf(owner);
            IfHeader? conditions = await LockConditions.ReadAsync(context, within, prefix, name, Now);
            StoreState? state = StoreState.Of(store);
            if (state?.Locks.ConcernsRequest(operation.IsChange) is true)
            {
                await LockConditions.ThrowIfLockedAsync(context, store, state, operation, second ?? name, owner, conditions, Now);
            }

            RateLimitLease? slot = operation.IsTransfer ? Limits.TakeSlot(context, name, caller)
                : operation == TransferOperation.List ? await Limits.WaitForListingAsync(context, name, caller)
                : operation.IsWalk ? await Limits.WaitForWalkAsync(context, name, caller)
                : null;
            observation.Admit(owner, operation.IsTransfer);
            int? turn = Pace(context, caller, owner is null || isLink ? null : ScopeRequirement.MaxRateOf(context.User));
            return new TransferPass(
                owner, caller, use is { Link.IsDrop: true } ? new DropStore(store, within, use) : within, observation,
                operation.IsTransfer ? Limits : null, slot, use)
            {
                State = state,
                IsLink = isLink,
                LockTokens = conditions?.Tokens ?? [],
                Clock = _clock,
                TurnBytes = turn,
            };
        }
        catch (TransferException exception)
        {
            observation.Refuse(exception.Error);
            throw;
        }
    }

    /// <summary>Authorizes one of the files of a request that was let in for their folder.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>.</exception>
    public async ValueTask AuthorizeFileAsync(HttpContext context, TransferScope scope, TransferName name)
    {
        if (!_options.HasScopePolicies)
        {
            // Policies of an application may decide about each name.
            await AuthorizeAsync(context, scope, name);
        }
        else if (!IsPublic(scope) && !name.IsIn(ScopeRequirement.PrefixOf(context.User)))
        {
            throw Refuse(context.User, scope, name);
        }
    }

    /// <summary>Prepares for the limits of the rate, where a request is read before its caller is known.</summary>
    public void PreparePace(HttpContext context)
    {
        if (Rates.IsLimited || HasTokenRates())
        {
            PacedExchange.Install(context, Rates);
        }
    }

    /// <summary>Reports a request that is refused before it reaches an endpoint.</summary>
    public void ObserveRefusal(HttpContext context, TransferError error) =>
        TransferObservation.Begin(_meter, _logger, context, TransferScope.None, default).Refuse(error);

    /// <summary>Whether a request has a valid token, or needs none.</summary>
    public async ValueTask<bool> IsAuthenticatedAsync(HttpContext context)
    {
        try
        {
            return IsOpen || (await context.AuthenticateAsync(TokenHandler.SchemeName)).Succeeded;
        }
        catch (TransferException)
        {
            return false;
        }
    }

    /// <summary>
    /// Whether a store may be queried about a request's name before its sender is authorized for that: an unknown sender must not
    /// cause requests to a bucket. An application's own policies may know senders that no scheme of ours finds.
    /// </summary>
    public async ValueTask<bool> CanQueryStatusAsync(HttpContext context, IFileStore store) =>
        IsOpen || !_options.HasScopePolicies || context.GetEndpoint()?.Metadata.GetMetadata<IAllowAnonymous>() is not null
        || await FindUserAsync(context, store) is not null;

    /// <summary>Finds the sender of a request that needs no scope; null if it is unknown.</summary>
    public async ValueTask<AuthenticateResult?> FindUserAsync(HttpContext context, IFileStore store)
    {
        if (LinkSecret.IsIn(context.Request))
        {
            LinkGuard.Bind(context, (store as DropStore)?.Whole ?? store);
        }

        try
        {
            // A wrong token is not made good by a cookie, and a link is not.
            AuthenticateResult found = await context.AuthenticateAsync(LinkSecret.IsIn(context.Request) ? LinkHandler.SchemeName : TokenHandler.SchemeName);
            if (found.None && SessionCookie.IsAcceptedBy(context))
            {
                found = await context.AuthenticateAsync(SessionCookie.SchemeName);
                if (found.Succeeded)
                {
                    CrossSiteRequest.ThrowIfNotOwnPage(context.Request, _options);
                }
            }

            return found.Succeeded ? found : null;
        }
        catch (TransferException)
        {
            // The tokens cannot be read, or a foreign page asks: the sender is unknown.
            return null;
        }
    }

    /// <summary>Whether a request has a link to drop files into a folder, so that a browser gets the page for that.</summary>
    public async ValueTask<bool> CanDropAsync(HttpContext context, IFileStore store, TransferName folder) =>
        await FindUserAsync(context, store) is not null
        && LinkGuard.OpenedIn(context) is { Link: { IsDrop: true } link } && folder.IsIn(link.FolderName);

    /// <summary>The exception, or one without the path that only the server's log may contain.</summary>
    public TransferException HidePath(TransferException exception)
    {
        if (exception.Error != TransferError.Failed)
        {
            return exception;
        }

        _logger.TokensUnreadable(exception.Message);
        return new TransferException(
            TransferError.Failed,
            "The server cannot read its tokens and refuses every request; its log has the reason.",
            innerException: exception);
    }

    public TransferException RefuseToken() => new(
        TransferError.Unauthorized,
        $"The token is not known here, or it has expired. The server's owner can create another ({_options.NameOf(Tokens)}).");

    /// <summary>Counts a wrong token that a person may have typed.</summary>
    /// <returns>The refusal, which is another one when the address has tried too many.</returns>
    public TransferException RefuseTry(HttpContext context)
    {
        return Limits.TryToken(TransferObservation.CallerOf(context))
            ? RefuseToken()
            : new TransferException(TransferError.TooManyTransfers, "Too many wrong tokens came from this address. Try again in a minute.")
            {
                RetryAfter = TimeSpan.FromMinutes(1),
            };
    }

    /// <summary>The token that a request brings; null if it is unknown or has expired.</summary>
    public TransferToken? FindToken(string secret) => _options.Tokens?.Find(secret);

    /// <summary>Whether credentials that are not valid can be ignored.</summary>
    public bool IgnoresTokens => _options.Tokens is null && !NeedsToken;

    public void Dispose()
    {
        Limits.Dispose();
        Rates.Dispose();
        Links.Dispose();
    }

    /// <returns>The caller's name; null if it is anonymous.</returns>
    private async ValueTask<string?> AuthorizeAsync(HttpContext context, TransferScope scope, TransferName name)
    {
        if (context.GetEndpoint()?.Metadata.GetMetadata<IAllowAnonymous>() is not null)
        {
            return context.User.Identity?.Name;
        }

        try
        {
            // Asked for every request, so that the server never opens again after the last token was removed.
            bool needsToken = NeedsToken;
            if (!needsToken && _options.HasScopePolicies && !context.Request.Headers.ContainsKey("Authorization") && !SignedLink.IsIn(context.Request)
                && !LinkSecret.IsIn(context.Request))
            {
                return null;
            }

            ClaimsPrincipal user = context.User;
            foreach (string policyName in ScopeRequirement.PoliciesOf(scope))
            {
                AuthorizationPolicy policy = await context.RequestServices.GetRequiredService<IAuthorizationPolicyProvider>()
                    .GetPolicyAsync(policyName)
                    ?? throw new InvalidOperationException($"The authorization policy '{policyName}' was removed.");
                user = await AuthenticateAsync(context, policy.AuthenticationSchemes);
                AuthorizationResult result = await context.RequestServices.GetRequiredService<IAuthorizationService>()
                    .AuthorizeAsync(user, name, policy);
                if (!result.Succeeded)
                {
                    throw Refuse(user, scope, name);
                }
            }

            return user.Identity?.Name;
        }
        catch (TransferException exception) when (exception.Error == TransferError.Failed)
        {
            throw HidePath(exception);
        }
    }

    /// <summary>Finds the user by the first scheme that knows the request, and makes it <see cref="HttpContext.User"/>.</summary>
    /// <exception cref="TransferException">The request has a token or a link that is not valid.</exception>
    private async ValueTask<ClaimsPrincipal> AuthenticateAsync(HttpContext context, IReadOnlyList<string> schemes)
    {
        foreach (string scheme in schemes)
        {
            bool isSession = scheme == SessionCookie.SchemeName;
            if (isSession && !SessionCookie.IsAcceptedBy(context))
            {
                continue;
            }

            AuthenticateResult result = await context.AuthenticateAsync(scheme);
            if (result.Succeeded)
            {
                if (isSession)
                {
                    CrossSiteRequest.ThrowIfNotOwnPage(context.Request, _options);
                }

                return context.User = result.Principal;
            }

            if (result.Failure is TransferException refusal)
            {
                throw refusal;
            }
        }

        // As in ASP.NET Core: a policy that names schemes trusts no user whom another one has found.
        return schemes.Count == 0 ? context.User : new ClaimsPrincipal(new ClaimsIdentity());
    }

    /// <summary>Returns the use of a link to a folder, whose limits apply besides its scopes.</summary>
    /// <returns>Null for a signed link.</returns>
    private async ValueTask<LinkUse?> EnterByLinkAsync(HttpContext context, IFileStore store, TransferOperation operation)
    {
        if (LinkGuard.OpenedIn(context) is not ({ } link, { } documents))
        {
            return null;
        }

        // Not compared by their scopes, which other operations have, too.
        if (link.IsDrop
            && !ReferenceEquals(operation, TransferOperation.Upload) && !ReferenceEquals(operation, TransferOperation.ManageUpload)
            && !ReferenceEquals(operation, TransferOperation.Describe))
        {
            throw new TransferException(TransferError.Forbidden, LinkHandler.Refused);
        }

        // The folder may have become a symbolic link that leads further than the link's maker may go.
        if (link.Prefix is not null
            && store.Within(TransferName.Parse(link.Prefix)) is var confined && confined != store
            && !await confined.FolderExistsAsync(link.FolderName, context.RequestAborted))
        {
            throw new TransferException(TransferError.Forbidden, LinkHandler.Refused);
        }

        return new LinkUse(link, documents, TransferObservation.CallerOf(context), _clock);
    }

    private bool HasTokenRates()
    {
        try
        {
            return _options.Tokens?.Read().HasRates is true;
        }
        catch (TransferException)
        {
            // Then the request is refused, once it is read.
            return false;
        }
    }

    /// <summary>Applies the limits of the rate to the rest of a request.</summary>
    /// <returns>Bytes that it moves at once; null without a limit.</returns>
    private int? Pace(HttpContext context, string caller, long? rate)
    {
        if (rate is null && !Rates.IsLimited)
        {
            return null;
        }

        var paced = PacedExchange.Install(context, Rates);
        paced.Bind(caller, rate);
        return paced.TurnBytes;
    }

    private TransferException Refuse(ClaimsPrincipal user, TransferScope scope, TransferName name)
    {
        if (user.Identity is not { IsAuthenticated: true } identity)
        {
            return new TransferException(
                TransferError.Unauthorized,
                $"This server needs a token. Send it as 'Authorization: Bearer TOKEN'; the server's owner can create one ({_options.NameOf(Tokens)}).");
        }

        string message = identity.AuthenticationType switch
        {
            LinkHandler.SchemeName => LinkHandler.Refused,
            TokenHandler.SchemeName or SessionCookie.SchemeName => ScopeRequirement.ScopesOf(user) is var scopes && (scopes & scope) != scope
                ? $"The token '{identity.Name}' allows {TransferScopes.ToText(scopes)}, and this needs {TransferScopes.ToText(scope)}."
                : $"The token '{identity.Name}' is only for '{ScopeRequirement.PrefixOf(user)}'.",
            _ => $"This needs {TransferScopes.ToText(scope)}, which '{identity.Name}' is not allowed.",
        };
        bool isLink = identity.AuthenticationType == LinkHandler.SchemeName;
        return new TransferException(TransferError.Forbidden, message, isLink ? null : name.Value);
    }
}
