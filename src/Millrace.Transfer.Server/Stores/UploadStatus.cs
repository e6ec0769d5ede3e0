using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer.Server;

/// <summary>The state of an upload.</summary>
[Experimental("MILLRACE001")]
public sealed record UploadStatus
{
    /// <summary>Which upload.</summary>
    public required UploadId Id { get; init; }

    /// <summary>The name under which it is published; <c>default</c> for a partial one.</summary>
    public TransferName Name { get; init; }

    /// <summary>Bytes that are stored and survive the end of the process.</summary>
    public long Offset { get; init; }

    /// <summary>Length of the whole in bytes; null if it is not known yet.</summary>
    public long? Length { get; init; }

    /// <summary>Whether it is only a part of others.</summary>
    public bool IsPartial => Name.IsRoot;

    /// <summary>Whether all bytes are stored.</summary>
    public bool IsComplete => Length == Offset;

    /// <summary>The published file; null before that.</summary>
    public StoredFile? Published { get; init; }

    /// <summary>The condition on the name when it is published.</summary>
    public WritePrecondition Precondition { get; init; }

    /// <summary>As given at its start.</summary>
    public string? Metadata { get; init; }

    /// <summary>The digest that the whole must have, as given at its start.</summary>
    public Sha256Digest? Expected { get; init; }

    /// <summary>The name of the token that may continue it, as given at its start.</summary>
    public string? Owner { get; init; }

    /// <summary>The parts of which it was joined; null for an ordinary one.</summary>
    public IReadOnlyList<UploadId>? Parts { get; init; }

    /// <summary>When it is deleted unless a client continues it.</summary>
    public DateTimeOffset Expires { get; init; }
}
