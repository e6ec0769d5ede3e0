using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer.Server;

/// <summary>Options of a new upload.</summary>
[Experimental("MILLRACE001")]
public readonly record struct StartUploadOptions
{
    /// <summary>The name under which it is published; <c>default</c> for an upload that is only a part of others.</summary>
    public TransferName Name { get; init; }

    /// <summary>Its length in bytes; null if it is set later.</summary>
    public long? Length { get; init; }

    /// <summary>The condition on the name, now and when it is published.</summary>
    public WritePrecondition Precondition { get; init; }

    /// <summary>Whether the caller has just found the precondition met. It is always checked again when the file is published.</summary>
    public bool IsPreconditionChecked { get; init; }

    /// <summary>Stored and returned by <see cref="UploadStatus.Metadata"/>; null for none. At most 4,096 bytes.</summary>
    public string? Metadata { get; init; }

    /// <summary>The digest that the whole must have; null if it is given at the end, or never.</summary>
    public Sha256Digest? Expected { get; init; }

    /// <summary>When the file was last changed, where its writer knows; null for the time of its publication.</summary>
    public FileTime? Modified { get; init; }

    /// <summary>Whether its owner may run it; null for the store's default.</summary>
    public bool? IsExecutable { get; init; }

    /// <summary>The name of the token that may continue it; null for every client that knows the <see cref="UploadId"/>.</summary>
    public string? Owner { get; init; }

    /// <summary>
    /// Among whose uploads it counts, for example the name of a token or an address; null for <see cref="Owner"/>.
    /// </summary>
    public string? Caller { get; init; }

    /// <summary>
    /// Whether <see cref="FileEvents"/> reports the start, so that a store that opens again waits a minute for <see cref="IUploadStore.Expiring"/>
    /// before it deletes the upload because it has expired.
    /// </summary>
    public bool IsReported { get; init; }
}
