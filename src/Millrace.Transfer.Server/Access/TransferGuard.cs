using System.Runtime.CompilerServices;
using System.Security.Claims;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http.Features;
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
    /// <summary>How many times as many pages of listings as one caller may have are made at once for all together.</summary>
    private const int TotalListings = 4;

    /// <summary>Wrong tokens that one address may try at once, and again each minute, where people type them.</summary>
    /// <remarks>
    /// A right one always gets in: behind a proxy all clients have one address, and a secret has 256 bits, too many to guess.
    /// </remarks>
    private const int TriesPerMinute = 20;

    /// <summary>Searches that a caller may wait for.</summary>
    private const int MaxWaitingWalks = 8;

    private const string Tokens = "TransferAccessOptions.Tokens";

    private readonly TransferAccessOptions _options;
    private readonly TimeProvider _clock;
    private readonly TransferMeter _meter;
    private readonly ILogger _logger;
    private readonly PartitionedRateLimiter<string> _slots;
    private readonly PartitionedRateLimiter<string> _listings;
    private readonly ConcurrencyLimiter _pages;
    private readonly PartitionedRateLimiter<string> _tries = PartitionedRateLimiter.Create<string, string>(
        static caller => RateLimitPartition.GetTokenBucketLimiter(caller, static _ => new TokenBucketRateLimiterOptions
        {
            TokenLimit = TriesPerMinute,
            TokensPerPeriod = TriesPerMinute,
            ReplenishmentPeriod = TimeSpan.FromMinutes(1),
        }));

    /// <summary>One for each caller, and for as many at once as leave a processor for transfers.</summary>
    private readonly PartitionedRateLimiter<string> _walks = PartitionedRateLimiter.Create<string, string>(
        static caller => RateLimitPartition.GetConcurrencyLimiter(
            caller, static _ => new ConcurrencyLimiterOptions { PermitLimit = 1, QueueLimit = MaxWaitingWalks }));

    private readonly ConcurrencyLimiter _steps = new(new ConcurrencyLimiterOptions
    {
        PermitLimit = Math.Max(1, Environment.ProcessorCount / 2),
        QueueLimit = int.MaxValue,
    });

    private int _running;
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
        var limit = new ConcurrencyLimiterOptions { PermitLimit = _options.Limits.MaxTransfers };
        _slots = PartitionedRateLimiter.Create<string, string>(
            caller => RateLimitPartition.GetConcurrencyLimiter(caller, _ => limit));
        var listings = new ConcurrencyLimiterOptions
        {
            PermitLimit = _options.Limits.MaxListings,
            QueueLimit = _options.Limits.MaxTransfers,
        };
        _listings = PartitionedRateLimiter.Create<string, string>(
            caller => RateLimitPartition.GetConcurrencyLimiter(caller, _ => listings));
        Rates = new RateLimits(_options.Limits, clock, meter);
        _pages = new ConcurrencyLimiter(new ConcurrencyLimiterOptions
        {
            PermitLimit = TotalListings * _options.Limits.MaxListings,
            QueueLimit = int.MaxValue,
        });
    }

    /// <summary>Decides about links.</summary>
    public LinkGuard Links { get; }

    /// <summary>The limits of the rate.</summary>
    public RateLimits Rates { get; }

    public SessionStore Sessions { get; }

    public SessionCookie Cookie { get; }

    public DateTimeOffset Now => _clock.GetUtcNow();

    public TransferAccessOptions Options => _options;

    /// <summary>Transfers that run now.</summary>
    public int Running => Volatile.Read(ref _running);

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
            if (isLink && (operation.IsLock || ReferenceEquals(operation, TransferOperation.ChangeProperties)))
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

            RateLimitLease? slot = operation.IsTransfer ? TakeSlot(context, name, caller)
                : operation == TransferOperation.List ? await WaitForListingAsync(context, name, caller)
                : operation.IsWalk ? await WaitForWalkAsync(context, name, caller)
                : null;
            observation.Admit(owner, operation.IsTransfer);
            int? turn = Pace(context, caller, owner is null || isLink ? null : ScopeRequirement.MaxRateOf(context.User));
            return new TransferPass(
                owner, caller, use is { Link.IsDrop: true } ? new DropStore(store, within, use) : within, observation,
                operation.IsTransfer ? this : null, slot, use)
            {
                State = state,
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

    /// <summary>Prepares for the limits of the rate, where a request is read before its caller is known.</summary>
    public void PreparePace(HttpContext context)
    {
        if (Rates.IsLimited || HasTokenRates())
        {
            PacedExchange.Install(context, Rates);
        }
    }

    /// <summary>
    /// Lists a page when its turn comes. No caller waits here for another caller's connection, on which a listing may be held up for minutes.
    /// </summary>
    public async ValueTask<FilePage> ListAsync(IFileStore store, ListFilesOptions options, CancellationToken cancellationToken)
    {
        using RateLimitLease turn = await _pages.AcquireAsync(cancellationToken: cancellationToken);
        return await store.ListAsync(options, cancellationToken);
    }

    /// <summary>Runs the steps of a search, each when its turn comes: none runs while the client receives results.</summary>
    public async IAsyncEnumerable<T> StepAsync<T>(
        IAsyncEnumerable<T> steps, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await using IAsyncEnumerator<T> step = steps.GetAsyncEnumerator(cancellationToken);
        while (true)
        {
            using (await _steps.AcquireAsync(cancellationToken: cancellationToken))
            {
                if (!await step.MoveNextAsync())
                {
                    yield break;
                }
            }

            yield return step.Current;
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
        using RateLimitLease lease = _tries.AttemptAcquire(TransferObservation.CallerOf(context));
        return lease.IsAcquired
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

    /// <summary>Bytes that a body may have; null without a limit.</summary>
    public long? MaxBodyBytes => _options.Limits.MaxBodyBytes;

    /// <summary>Sets Kestrel's limit before a body is read; its default is 30 MB.</summary>
    public static void SetBodyLimit(HttpContext context, long? bytes)
    {
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } body)
        {
            body.MaxRequestBodySize = bytes;
        }
    }

    /// <summary>Limits a body that is read as a whole.</summary>
    /// <exception cref="TransferException">It announces more.</exception>
    /// <remarks>
    /// Kestrel closes the connection at once on a body above its limit, and a client that still sends loses the response; a request
    /// that is refused before is read and discarded by Kestrel for five seconds.
    /// </remarks>
    public static void LimitDocument(HttpContext context, int bytes)
    {
        if (context.Request.ContentLength > bytes)
        {
            throw new TransferException(
                TransferError.TooLarge, $"The request has {context.Request.ContentLength} bytes, but at most {bytes} are accepted here.");
        }

        SetBodyLimit(context, bytes);
    }

    public void Release(RateLimitLease slot)
    {
        slot.Dispose();
        Interlocked.Decrement(ref _running);
    }

    public void Dispose()
    {
        _slots.Dispose();
        _listings.Dispose();
        _pages.Dispose();
        Rates.Dispose();
        _tries.Dispose();
        Links.Dispose();
        _walks.Dispose();
        _steps.Dispose();
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

    private RateLimitLease TakeSlot(HttpContext context, TransferName name, string caller)
    {
        TransferLimits limits = _options.Limits;
        SetBodyLimit(context, limits.MaxBodyBytes);
        if (context.Request.ContentLength > limits.MaxBodyBytes)
        {
            CloseAfterResponse(context);
            throw new TransferException(
                TransferError.TooLarge,
                $"The request has {context.Request.ContentLength} bytes, but this server accepts {limits.MaxBodyBytes}. Send a smaller file, or ask the server's owner for more.",
                name.Value);
        }

        RateLimitLease slot = _slots.AttemptAcquire(caller);
        if (!slot.IsAcquired)
        {
            throw TooMany(name, caller, $"{limits.MaxTransfers} transfers are running");
        }

        Interlocked.Increment(ref _running);
        return slot;
    }

    /// <summary>Waits until the caller may have another listing: a part of its response is in memory until the client has it.</summary>
    private async ValueTask<RateLimitLease> WaitForListingAsync(HttpContext context, TransferName name, string caller)
    {
        RateLimitLease lease = await _listings.AcquireAsync(caller, cancellationToken: context.RequestAborted);
        return lease.IsAcquired ? lease : throw TooMany(name, caller, $"{_options.Limits.MaxTransfers} listings are waiting");
    }

    /// <summary>Waits until the caller's search before this one has ended.</summary>
    private async ValueTask<RateLimitLease> WaitForWalkAsync(HttpContext context, TransferName name, string caller)
    {
        RateLimitLease lease = await _walks.AcquireAsync(caller, cancellationToken: context.RequestAborted);
        return lease.IsAcquired ? lease : throw TooMany(name, caller, $"{MaxWaitingWalks} searches are waiting");
    }

    private TransferException TooMany(TransferName name, string caller, string what) => new(
        TransferError.TooManyTransfers,
        $"{what} for {(caller.StartsWith(':') ? "this address" : "this token")}, and no more are allowed at once. Try again when one has finished.",
        name.Value)
    {
        RetryAfter = _options.Limits.RetryAfter,
    };

    /// <summary>
    /// Announces that the connection ends with the response. Kestrel closes it anyway, since the body is not read, but without
    /// notice: the client's next request would fail on it.
    /// </summary>
    private static void CloseAfterResponse(HttpContext context)
    {
        if (HttpProtocol.IsHttp11(context.Request.Protocol))
        {
            context.Response.OnStarting(
                static state =>
                {
                    ((HttpResponse)state).Headers.Connection = "close";
                    return Task.CompletedTask;
                },
                context.Response);
        }
    }
}
