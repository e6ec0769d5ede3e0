namespace Millrace.Transfer.Server;

/// <summary>A file that is being written. Disposed without a commit, nothing of it remains.</summary>
public abstract class StoredFileWriter : IAsyncDisposable
{
    /// <summary>Where its bytes go; a failed write is a <see cref="TransferException"/> or a <see cref="FilePipeException"/>.</summary>
    public abstract PipeWriter Output { get; }

    /// <summary>Publishes it: verified, durable, in one step.</summary>
    /// <param name="expected">The digest that it must have; null for whatever it has.</param>
    /// <param name="cancellationToken">Until it begins to be published.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.DigestMismatch"/>, <see cref="TransferError.AlreadyExists"/>,
    /// <see cref="TransferError.PreconditionFailed"/>, <see cref="TransferError.NoSpace"/>; nothing is published then.
    /// </exception>
    public abstract ValueTask<StoredFile> CommitAsync(Sha256Digest? expected, CancellationToken cancellationToken);

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();
}

/// <summary>How a file is created.</summary>
public readonly record struct CreateFileOptions
{
    /// <summary>The condition on the name.</summary>
    public WritePrecondition Precondition { get; init; }

    /// <summary>Whether the caller has just found the precondition met. It is always checked again when the file is published.</summary>
    public bool IsPreconditionChecked { get; init; }

    /// <summary>The number of bytes to write; null if unknown. Space is reserved and limits are checked at once.</summary>
    public long? Length { get; init; }

    /// <summary>When the file was last changed, where its writer knows; null for the time of its publication.</summary>
    public FileTime? Modified { get; init; }

    /// <summary>Whether its owner may run it; null for the store's default.</summary>
    public bool? IsExecutable { get; init; }
}
