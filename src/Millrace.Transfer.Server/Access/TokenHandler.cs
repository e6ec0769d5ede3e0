using System.Net.Http.Headers;
using System.Security.Claims;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Options;

namespace Millrace.Transfer.Server;

/// <summary>
/// Authenticates <c>Authorization: Bearer</c>, or <c>Basic</c> with any name, with a token of the application's <see cref="TokenStore"/>.
/// </summary>
internal sealed class TokenHandler(
    IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory loggers, TransferGuard guard)
    : AuthenticationHandler<AuthenticationSchemeOptions>(options, loggers, UrlEncoder.Default)
{
    public const string SchemeName = "Millrace.Token";

    protected override Task<AuthenticateResult> HandleAuthenticateAsync()
    {
        // A token is checked even if none is needed: a client that sends a wrong one should know.
        if (!Request.Headers.ContainsKey("Authorization") || guard.IgnoresTokens || LinkSecret.IsIn(Request))
        {
            return Task.FromResult(AuthenticateResult.NoResult());
        }

        try
        {
            return Task.FromResult(AuthenticateResult.Success(new AuthenticationTicket(
                new ClaimsPrincipal(ScopeRequirement.CreateIdentity(SchemeName, Find())), SchemeName)));
        }
        catch (TransferException refusal) when (refusal.Error != TransferError.Failed)
        {
            return Task.FromResult(AuthenticateResult.Fail(refusal));
        }
    }

    // For applications that require the scheme themselves; Millrace's own endpoints answer in their protocol's form.
    protected override Task HandleChallengeAsync(AuthenticationProperties properties) => Problems.AnswerAsync(
        Context, new TransferException(TransferError.Unauthorized, "This needs a token: 'Authorization: Bearer TOKEN'."));

    protected override Task HandleForbiddenAsync(AuthenticationProperties properties) => Problems.AnswerAsync(
        Context, new TransferException(TransferError.Forbidden, "The token does not allow this."));

    private TransferToken Find()
    {
        if (!AuthenticationHeaderValue.TryParse(Request.Headers.Authorization, out AuthenticationHeaderValue? header)
            || header.Parameter is not { Length: > 0 } parameter)
        {
            throw guard.RefuseToken();
        }

        if (BasicCredentials.Is(header.Scheme))
        {
            BasicCredentials.ThrowIfNotAllowed(Context, guard.Options);
            return (BasicCredentials.PasswordIn(parameter) is { } password ? guard.FindToken(password) : null) ?? throw guard.RefuseTry(Context);
        }

        return (header.Scheme.Equals("Bearer", StringComparison.OrdinalIgnoreCase) ? guard.FindToken(parameter) : null)
            ?? throw guard.RefuseToken();
    }
}
