namespace Millrace.Transfer.Server;

/// <summary>Whom a <see cref="TransferGuard"/> lets in.</summary>
public sealed record TransferAccessOptions
{
    /// <summary>The tokens; null where none are used.</summary>
    public TokenStore? Tokens { get; init; }

    /// <summary>
    /// Whether everybody may do everything as long as no token has been made. True by default, for a server that only the
    /// machine itself reaches; once a token was seen, one is needed until the process ends, even when the last one was
    /// removed.
    /// </summary>
    public bool OpenWithoutTokens { get; init; } = true;

    /// <summary>How much one client may ask for at once.</summary>
    public TransferLimits Limits { get; init; } = new();

    /// <summary>The clock that links and tokens expire by.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;
}
