namespace Millrace.Transfer.Server;

/// <summary>One token of a <see cref="TokenDocument"/>.</summary>
internal sealed record TokenEntry
{
    public string Name { get; init; } = "";

    /// <summary>SHA-256 of the secret in hexadecimal.</summary>
    public string Sha256 { get; init; } = "";

    /// <summary>As <see cref="TransferScopes.ToText"/> writes them.</summary>
    public string Scopes { get; init; } = "";

    public string? Prefix { get; init; }

    public DateTimeOffset Created { get; init; }

    public DateTimeOffset? Expires { get; init; }
}
