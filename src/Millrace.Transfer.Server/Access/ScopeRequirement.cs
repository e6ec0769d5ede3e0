using System.Globalization;
using System.Security.Claims;
using Microsoft.AspNetCore.Authorization;

namespace Millrace.Transfer.Server;

/// <summary>
/// The requirement of the policies <c>Millrace.Read</c>, <c>Millrace.Write</c>, <c>Millrace.Delete</c>, <c>Millrace.List</c>,
/// <c>Millrace.Link</c>, and <c>Millrace</c> for a request that needs no scope. The resource is the <see cref="TransferName"/>.
/// </summary>
internal sealed class ScopeRequirement(TransferScope scope) : IAuthorizationRequirement
{
    public TransferScope Scope => scope;

    private const string PolicyName = "Millrace";
    private const string ScopeClaim = "millrace:scope";
    private const string PrefixClaim = "millrace:prefix";
    private const string NameClaim = "millrace:name";
    private const string ExpiryClaim = "millrace:expires";
    private const string RateClaim = "millrace:max-rate";

    private static readonly TransferScope[] Single =
        [TransferScope.Read, TransferScope.Write, TransferScope.Delete, TransferScope.List, TransferScope.Link];

    private static readonly string[] NoScope = [PolicyName];

    /// <summary>The names of the policies that a request for some scopes has to satisfy.</summary>
    public static IEnumerable<string> PoliciesOf(TransferScope scope) => scope == TransferScope.None
        ? NoScope
        : Single.Where(one => (scope & one) != TransferScope.None).Select(NameOf);

    /// <summary>Adds the policies that the application has not defined itself.</summary>
    public static void AddPolicies(AuthorizationOptions options)
    {
        foreach (TransferScope scope in Single.Prepend(TransferScope.None))
        {
            if (options.GetPolicy(NameOf(scope)) is null)
            {
                options.AddPolicy(NameOf(scope), policy => policy
                    .AddAuthenticationSchemes(TokenHandler.SchemeName, LinkHandler.SchemeName, SessionCookie.SchemeName)
                    .AddRequirements(new ScopeRequirement(scope)));
            }
        }
    }

    /// <summary>A link's user may use one file, and symbolic links may lead as far as its signer may go.</summary>
    public static ClaimsIdentity CreateLinkIdentity(TransferScope scope, TransferName name, TransferName prefix)
    {
        ClaimsIdentity identity = CreateIdentity(LinkHandler.SchemeName, LinkHandler.Owner, scope, prefix);
        identity.AddClaim(new Claim(NameClaim, name.Value));
        return identity;
    }

    /// <summary>The user of a link to a folder.</summary>
    public static ClaimsIdentity CreateLinkIdentity(FolderLinkRecord link) =>
        CreateIdentity(LinkHandler.SchemeName, $"{LinkHandler.Owner}:{link.Id}", link.Scopes, link.FolderName);

    private static ClaimsIdentity CreateIdentity(string scheme, string name, TransferScope scopes, TransferName prefix) => new(
        [
            new Claim(ClaimTypes.Name, name),
            new Claim(ScopeClaim, TransferScopes.ToText(scopes)),
            new Claim(PrefixClaim, prefix.Value),
        ],
        scheme);

    public static ClaimsIdentity CreateIdentity(string scheme, TransferToken token)
    {
        ClaimsIdentity identity = CreateIdentity(scheme, token.Name, token.Scopes, token.Prefix);
        if (token.Expires is { } expires)
        {
            identity.AddClaim(new Claim(ExpiryClaim, expires.ToString("O", CultureInfo.InvariantCulture)));
        }

        if (token.MaxRate is { } rate)
        {
            identity.AddClaim(new Claim(RateClaim, rate.ToString(CultureInfo.InvariantCulture)));
        }

        return identity;
    }

    /// <summary>When the user's token expires; null for never.</summary>
    public static DateTimeOffset? ExpiryOf(ClaimsPrincipal user) => user.FindFirst(ExpiryClaim)?.Value is { } text
        ? DateTimeOffset.ParseExact(text, "O", CultureInfo.InvariantCulture)
        : null;

    /// <summary>Bytes per second that the user's token allows; null if the token has no rate.</summary>
    public static long? MaxRateOf(ClaimsPrincipal user) =>
        long.TryParse(user.FindFirst(RateClaim)?.Value, NumberStyles.None, CultureInfo.InvariantCulture, out long rate) ? rate : null;

    public static TransferScope ScopesOf(ClaimsPrincipal user) =>
        TransferScopes.TryParse(user.FindFirst(ScopeClaim)?.Value, out TransferScope scopes, out _) ? scopes : TransferScope.None;

    /// <summary>The folder or file that the user may use; the root for everything.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>: the claim is not a name.</exception>
    public static TransferName PrefixOf(ClaimsPrincipal user) =>
        user.FindFirst(PrefixClaim)?.Value is { Length: > 0 } prefix ? TransferName.Parse(prefix) : default;

    private static string NameOf(TransferScope scope) =>
        scope == TransferScope.None ? PolicyName : $"{PolicyName}.{scope}";

    /// <summary>Decides by the request alone; whether the file exists is not looked at.</summary>
    private bool IsMetBy(ClaimsPrincipal user, TransferName name)
    {
        // A part of an upload has no name; the file that the parts become has one, and is checked then.
        bool isPart = name.IsRoot && scope == TransferScope.Write;
        return (ScopesOf(user) & scope) == scope
            && (isPart || name.IsIn(PrefixOf(user)))
            && (user.FindFirst(NameClaim)?.Value is not { } only || only == name.Value);
    }

    internal sealed class Handler(TransferGuard guard) : AuthorizationHandler<ScopeRequirement, TransferName>
    {
        protected override Task HandleRequirementAsync(
            AuthorizationHandlerContext context, ScopeRequirement requirement, TransferName resource)
        {
            bool isUser = context.User.Identity is { IsAuthenticated: true };
            if ((isUser ? requirement.IsMetBy(context.User, resource) : !guard.NeedsToken)
                || (guard.IsPublic(requirement.Scope) && !(isUser && LinkHandler.IsLink(context.User))))
            {
                context.Succeed(requirement);
            }

            return Task.CompletedTask;
        }
    }
}
