namespace Millrace.Transfer.Server;

/// <summary>Access to Millrace's endpoints and limits for each caller; see <see cref="TransferServerServiceCollectionExtensions.AddMillraceTransfer"/>.</summary>
public sealed class TransferAccessOptions
{
    /// <summary>The tokens and the key of signed links; null to use neither.</summary>
    public TokenStore? Tokens { get; set; }

    /// <summary>
    /// Whether everyone may do everything until the first token exists. False by default. Once a token was seen, one is
    /// needed until the process ends, even after the last one was removed.
    /// </summary>
    public bool OpenWithoutTokens { get; set; }

    /// <summary>
    /// The scopes of a request without a token: <see cref="TransferScope.Read"/>, <see cref="TransferScope.List"/>, both or nothing, the default.
    /// A token is needed for everything else then, even before one exists.
    /// </summary>
    public TransferScope PublicScopes
    {
        get;
        set => field = (value & ~(TransferScope.Read | TransferScope.List)) == TransferScope.None
            ? value
            : throw new ArgumentException("Without a token, only reading and listing can be allowed.", nameof(value));
    }

    /// <summary>
    /// Whether requests that would change something are refused, from every caller. False by default.
    /// </summary>
    public bool ReadOnly { get; set; }

    /// <summary>
    /// Whether Basic authentication, whose password is a token, is accepted over HTTP without TLS from other machines. False by default: the
    /// network can read it.
    /// </summary>
    public bool AllowBasicWithoutTls { get; set; }

    /// <summary>
    /// The server's URL as browsers see it, if a proxy changes the host or the port; null otherwise. A request that changes
    /// something has to come from a page of this origin, of the host that the request names, or of one that the endpoint's CORS
    /// policy allows. Other programs than browsers are not affected.
    /// </summary>
    public Uri? PublicUrl { get; set; }

    /// <summary>How much one caller may use at once, and how slow a connection may be.</summary>
    public TransferLimits Limits { get; set; } = new();

    /// <summary>
    /// Whether the policies are those of <see cref="ScopeRequirement"/>, and no other handler decides: then they need not be asked about
    /// a request that needs no authentication.
    /// </summary>
    internal bool HasScopePolicies { get; set; }

    /// <summary><see cref="TransferHostOptions.NameOf"/>. An application that maps the endpoints has ASP.NET Core's own settings for proxies.</summary>
    internal Func<string, string> NameOf { get; set; } = static member =>
        member.StartsWith("TransferHostOptions.Trust", StringComparison.Ordinal) ? "UseForwardedHeaders" : member;

    /// <summary>The PINs with which browsers can sign in; null for none.</summary>
    internal PinStore? Pins { get; set; }
}
