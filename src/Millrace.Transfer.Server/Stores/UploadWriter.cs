using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>
/// Appends to an upload. Disposed without <see cref="SaveAsync"/>, what has been written to it stays nevertheless, as far as
/// it reached the store: that is what a cut connection leaves.
/// </summary>
public abstract class UploadWriter : IAsyncDisposable
{
    /// <summary>Where the bytes go.</summary>
    public abstract PipeWriter Body { get; }

    /// <summary>
    /// Canceled when another request takes the upload over. Whoever appends then stops and disposes this; the other one
    /// waits for that.
    /// </summary>
    public abstract CancellationToken Superseded { get; }

    /// <summary>Bytes of the upload, those included that went to <see cref="Body"/>.</summary>
    public abstract long Offset { get; }

    /// <summary>Bytes that the upload still accepts: up to its length, or the store's limit.</summary>
    public abstract long RemainingBytes { get; }

    /// <summary>Makes what was written durable; what is acknowledged to a client was saved before.</summary>
    public abstract ValueTask<UploadStatus> SaveAsync(CancellationToken cancellationToken);

    /// <summary>Takes back what was written through this, for bytes whose checksum was wrong.</summary>
    public abstract ValueTask DiscardAsync();

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();
}
