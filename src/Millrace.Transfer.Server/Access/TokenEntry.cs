namespace Millrace.Transfer.Server;

/// <summary>One token of a <see cref="TokenDocument"/>.</summary>
internal sealed record TokenEntry
{
    public string Name { get; set; } = "";

    /// <summary>SHA-256 of the secret in hexadecimal.</summary>
    public string Sha256 { get; set; } = "";

    /// <summary>As <see cref="TransferScopes.ToText"/> writes them.</summary>
    public string Scopes { get; set; } = "";

    public string? Prefix { get; set; }

    public DateTimeOffset Created { get; set; }

    public DateTimeOffset? Expires { get; set; }
}
