using System.Security.Claims;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Options;

namespace Millrace.Transfer.Server;

/// <summary>
/// Authenticates a <see cref="SignedLink"/>: its user may do one thing with the one file of the request. And a link to a folder, which has
/// a document in the store.
/// </summary>
internal sealed class LinkHandler(
    IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory loggers, TransferGuard guard)
    : AuthenticationHandler<AuthenticationSchemeOptions>(options, loggers, UrlEncoder.Default)
{
    public const string SchemeName = "Millrace.Link";

    /// <summary>
    /// The name of the user of a signed link, and the beginning of that of a link to a folder, before its id. The name of a token has no colon.
    /// </summary>
    public const string Owner = ":link";

    public const string Refused = "The link has expired, was revoked, or is for another file or method. Ask for a new one.";

    /// <summary>Whether a request is authenticated by a link, valid or not; a token comes first.</summary>
    public static bool Uses(HttpRequest request) => !request.Headers.ContainsKey("Authorization") && SignedLink.IsIn(request);

    /// <summary>Whether a user is that of a link.</summary>
    public static bool IsLink(ClaimsPrincipal user) => user.Identity?.AuthenticationType == SchemeName;

    protected override Task<AuthenticateResult> HandleAuthenticateAsync() =>
        LinkSecret.IsIn(Request) ? AuthenticateFolderAsync()
        : Uses(Request) ? Task.FromResult(AuthenticateFile())
        : Task.FromResult(AuthenticateResult.NoResult());

    private async Task<AuthenticateResult> AuthenticateFolderAsync()
    {
        try
        {
            FolderLinkRecord link = await guard.Links.OpenAsync(Context);
            return AuthenticateResult.Success(new AuthenticationTicket(
                new ClaimsPrincipal(ScopeRequirement.CreateLinkIdentity(link)), SchemeName));
        }
        catch (TransferException refusal) when (refusal.Error != TransferError.Failed)
        {
            return AuthenticateResult.Fail(refusal);
        }
    }

    private AuthenticateResult AuthenticateFile()
    {

        // A link is for the URL of a file; other endpoints have none.
        TransferName name = Context.GetEndpoint()?.Metadata.GetMetadata<FileHandler>() is null
            ? default
            : FileTarget.Of(Context).Name;
        TransferScope scope = guard.Links.ScopeOf(Request, name, out TransferName prefix);
        return scope == TransferScope.None
            ? AuthenticateResult.Fail(new TransferException(TransferError.Forbidden, Refused))
            : AuthenticateResult.Success(new AuthenticationTicket(
                new ClaimsPrincipal(ScopeRequirement.CreateLinkIdentity(scope, name, prefix)), SchemeName));
    }
}
