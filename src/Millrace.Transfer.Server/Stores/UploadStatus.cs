namespace Millrace.Transfer.Server;

/// <summary>How far an upload is.</summary>
public sealed record UploadStatus
{
    /// <summary>Which upload.</summary>
    public required UploadId Id { get; init; }

    /// <summary>The name under which it is published; <c>default</c> for a partial one.</summary>
    public TransferName Name { get; init; }

    /// <summary>Bytes that are there, and stay there when the process dies.</summary>
    public long Offset { get; init; }

    /// <summary>Bytes of the whole; null when nobody said it yet.</summary>
    public long? Length { get; init; }

    /// <summary>Whether it is only a part of others.</summary>
    public bool IsPartial => Name.IsRoot;

    /// <summary>Whether all its bytes are there.</summary>
    public bool HasAll => Length == Offset;

    /// <summary>What it became; null before it is published.</summary>
    public StoredFile? Published { get; init; }

    /// <summary>What must be under the name when it is published.</summary>
    public WritePrecondition Precondition { get; init; }

    /// <summary>As given at its start.</summary>
    public string? Metadata { get; init; }

    /// <summary>The digest that the whole must have, as given at its start.</summary>
    public Sha256Digest? Expected { get; init; }

    /// <summary>Who may continue it, as given at its start.</summary>
    public string? Owner { get; init; }

    /// <summary>The parts of which it was joined; null for an ordinary one.</summary>
    public IReadOnlyList<UploadId>? Parts { get; init; }

    /// <summary>When it is thrown away unless somebody continues it.</summary>
    public DateTimeOffset Expires { get; init; }
}
