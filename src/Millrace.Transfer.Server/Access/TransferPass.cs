namespace Millrace.Transfer.Server;

/// <summary>A request that was let in by <see cref="TransferGuard"/>. Disposing it gives its place back.</summary>
public sealed class TransferPass : IDisposable
{
    internal TransferPass(string? owner) => Owner = owner;

    /// <summary>The name of the token; null where none is needed.</summary>
    public string? Owner { get; }

    /// <summary>Says how many bytes of a file were moved, for metrics.</summary>
    public void Moved(long bytes) => Bytes += bytes;

    /// <summary>Bytes of a file that were moved so far.</summary>
    public long Bytes { get; private set; }

    /// <inheritdoc/>
    public void Dispose()
    {
    }
}
