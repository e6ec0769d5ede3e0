namespace Millrace.Transfer.Server;

/// <summary>Access to Millrace's endpoints and limits for each caller; see <see cref="TransferServices.AddMillraceTransfer"/>.</summary>
public sealed class TransferAccessOptions
{
    /// <summary>The tokens and the key of signed links; null to use neither.</summary>
    public TokenStore? Tokens { get; set; }

    /// <summary>
    /// Whether everyone may do everything until the first token exists. False by default. Once a token was seen, one is
    /// needed until the process ends, even after the last one was removed.
    /// </summary>
    public bool OpenWithoutTokens { get; set; }

    /// <summary>How much one caller may use at once, and how slow a connection may be.</summary>
    public TransferLimits Limits { get; set; } = new();

    /// <summary>The clock by which links expire.</summary>
    public TimeProvider Clock { get; set; } = TimeProvider.System;
}
