namespace Millrace.Transfer.Server;

/// <summary>A request that was let in by <see cref="TransferGuard"/>. Disposing it gives its place back.</summary>
/// <remarks>Of one request: not for several threads at once, except <see cref="Moved"/>.</remarks>
public sealed class TransferPass : IDisposable
{
    private readonly TransferObservation _observation;
    private TransferSlots? _slots;
    private readonly string? _slot;
    private long _bytes;

    internal TransferPass(string? owner, TransferObservation observation, TransferSlots? slots, string? slot)
    {
        Owner = owner;
        _observation = observation;
        _slots = slots;
        _slot = slot;
    }

    /// <summary>The name of the token; null where none is needed.</summary>
    public string? Owner { get; }

    /// <summary>Bytes of a file that were moved so far.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Says how many bytes of a file were moved, for metrics.</summary>
    public void Moved(long bytes)
    {
        Interlocked.Add(ref _bytes, bytes);
        _observation.Moved(bytes);
    }

    /// <inheritdoc/>
    public void Dispose() => Interlocked.Exchange(ref _slots, null)?.Release(_slot!);
}
