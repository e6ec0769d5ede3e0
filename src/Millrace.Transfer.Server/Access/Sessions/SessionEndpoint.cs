using System.Security.Claims;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Exchanges a token for a session, tells what a session may do, and ends it.</summary>
internal sealed class SessionEndpoint(IFileStore store, TransferServerOptions options)
{
    private const string Allowed = "GET, HEAD, POST, DELETE";

    /// <summary>Sign-ins that one address may try at once, and again each minute.</summary>
    /// <remarks>Enough for an office behind one address; a secret has 256 bits, which nobody guesses.</remarks>
    private const int TriesPerMinute = 20;

    private readonly PartitionedRateLimiter<string> _tries = PartitionedRateLimiter.Create<string, string>(
        static caller => RateLimitPartition.GetTokenBucketLimiter(caller, static _ => new TokenBucketRateLimiterOptions
        {
            TokenLimit = TriesPerMinute,
            TokensPerPeriod = TriesPerMinute,
            ReplenishmentPeriod = TimeSpan.FromMinutes(1),
        }));

    public Task HandleAsync(HttpContext context)
    {
        context.Response.Headers.CacheControl = "no-store";
        string method = context.Request.Method;
        return Problems.RunAsync(context, HttpMethods.IsGet(method) || HttpMethods.IsHead(method) ? DescribeAsync
            : HttpMethods.IsPost(method) ? SignInAsync
            : HttpMethods.IsDelete(method) ? SignOutAsync
            : static _ => throw new Refusal(TransferError.InvalidRequest, $"A session is asked for, begun and ended: {Allowed}.")
            {
                Status = StatusCodes.Status405MethodNotAllowed,
                Field = HeaderNames.Allow,
                FieldValue = Allowed,
            });
    }

    private async Task DescribeAsync(HttpContext context)
    {
        TransferGuard guard = TransferGuard.Of(context);
        AuthenticateResult? found = await guard.FindUserAsync(context);
        bool isRequired = !guard.IsOpen;
        TransferScope scopes = found is not null ? ScopeRequirement.ScopesOf(found.Principal!)
            : isRequired ? TransferScope.None
            : TransferScope.All & ~TransferScope.Link;
        await JsonAnswer.WriteAsync(
            context,
            new SessionDocument
            {
                Required = isRequired,
                SignedIn = found is not null,
                Name = found?.Principal!.Identity!.Name,
                Scopes = [.. TransferScopes.ToText(scopes).Split(',', StringSplitOptions.RemoveEmptyEntries)],
                Prefix = found is null ? "" : ScopeRequirement.PrefixOf(found.Principal!).Value,
                Expires = found?.Properties?.ExpiresUtc ?? (found is null ? null : ScopeRequirement.ExpiryOf(found.Principal!)),
                MaxFileBytes = store.MaxFileBytes,
                Uploads = options.UploadsPath,
                CanLink = scopes.HasFlag(TransferScope.Link) && guard.CanSignLinks,
                Archives = options.Archives,
            },
            ServerJson.Default.SessionDocument);
    }

    private async Task SignInAsync(HttpContext context)
    {
        TransferGuard guard = TransferGuard.Of(context);
        try
        {
            await CrossSiteRequest.ThrowIfNotAllowedAsync(context, guard.PublicUrl);
            using (RateLimitLease lease = _tries.AttemptAcquire(TransferObservation.CallerOf(context)))
            {
                if (!lease.IsAcquired)
                {
                    throw new TransferException(TransferError.TooManyTransfers, "Too many sign-ins came from this address. Try again in a minute.")
                    {
                        RetryAfter = TimeSpan.FromMinutes(1),
                    };
                }
            }

            SignInDocument wanted = await JsonAnswer.ReadAsync(context, ServerJson.Default.SignInDocument);
            string secret = wanted.Token ?? throw Errors.Invalid("Send the token as {\"token\":\"...\"}.");
            TransferToken token = guard.FindToken(secret) ?? throw new TransferException(TransferError.Unauthorized, TokenHandler.Unknown);

            // What an earlier cookie stands for ends; its id must not be the new session's, because somebody else may have set it.
            await guard.Sessions.RemoveAsync(guard.Cookie.IdOf(context) ?? "");
            context.Request.Headers.Cookie = default;
            await context.SignInAsync(
                SessionCookie.SchemeName,
                new ClaimsPrincipal(ScopeRequirement.CreateIdentity(SessionCookie.SchemeName, token)),
                guard.Sessions.Begin(secret, token));
            context.Response.StatusCode = StatusCodes.Status204NoContent;
        }
        catch (TransferException exception)
        {
            guard.ObserveRefusal(context, exception.Error);
            throw guard.Hide(exception);
        }
    }

    private static async Task SignOutAsync(HttpContext context)
    {
        TransferGuard guard = TransferGuard.Of(context);
        await CrossSiteRequest.ThrowIfNotAllowedAsync(context, guard.PublicUrl);
        if (guard.Cookie.IdOf(context) is not null)
        {
            CrossSiteRequest.ThrowIfNotOwnPage(context.Request, guard.PublicUrl);
            await context.SignOutAsync(SessionCookie.SchemeName);
        }

        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }
}
