namespace Millrace.Transfer.Server;

/// <summary>What an upload will be.</summary>
public sealed record StartUploadOptions
{
    /// <summary>The name under which it is published; <c>default</c> for a partial one, which only is a part of others.</summary>
    public TransferName Name { get; init; }

    /// <summary>Its bytes; null when that is said later.</summary>
    public long? Length { get; init; }

    /// <summary>What must be under the name, now and when it is published.</summary>
    public WritePrecondition Precondition { get; init; }

    /// <summary>Kept as they are and told by <see cref="UploadStatus.Metadata"/>; null for none. At most 4,096 bytes.</summary>
    public string? Metadata { get; init; }

    /// <summary>The digest that the whole must have; null when it is said at the end, or never.</summary>
    public Sha256Digest? Expected { get; init; }

    /// <summary>Who may continue it: the token's name; null for anybody who knows the <see cref="UploadId"/>.</summary>
    public string? Owner { get; init; }
}
