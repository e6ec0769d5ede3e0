using System.IO.Pipelines;
using System.Security.Cryptography;

namespace Millrace.Transfer.Server;

/// <summary>Where a file's bytes go that arrive in chunks. Not thread-safe.</summary>
/// <param name="destination">The store's; not completed by this, and with bytes in it that are not flushed.</param>
/// <param name="room">Bytes that may come.</param>
/// <param name="hash">Goes on with all that comes; null where nobody compares.</param>
internal abstract class ChunkSink(PipeWriter destination, long room, IncrementalHash? hash) : IDisposable
{
    /// <summary>Bytes that came.</summary>
    public long Bytes { get; private set; }

    protected PipeWriter Destination => destination;

    /// <summary>The way that the options choose.</summary>
    public static ChunkSink Create(ChunkHandling handling, PipeWriter destination, long room, IncrementalHash? hash = null) =>
        handling == ChunkHandling.Direct
            ? new DirectSink(destination, room, hash)
            : new ArraySink(destination, room, hash, isRented: handling == ChunkHandling.RentedArray);

    /// <summary>A chunk of so many bytes comes.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.TooLarge"/>: more than there is room for.</exception>
    public void Begin(long bytes)
    {
        if (bytes > room - Bytes)
        {
            throw new TransferException(
                TransferError.TooLarge, $"More bytes came than the {room} that were said, or that are accepted here.");
        }

        Prepare(bytes);
    }

    /// <summary>Bytes of the chunk, which stay where they are until <see cref="ReleaseAsync"/>.</summary>
    public void Add(ReadOnlyMemory<byte> bytes)
    {
        Count(bytes.Span);
        Take(bytes);
    }

    /// <summary>Memory for bytes of the chunk that have to be put somewhere.</summary>
    /// <param name="left">Bytes of the chunk that are still to come; no more are lent.</param>
    public abstract Memory<byte> Lend(long left);

    /// <summary>So many were put there.</summary>
    public abstract ValueTask LentAsync(int bytes, CancellationToken cancellationToken);

    /// <summary>The memory of bytes that were added goes: what is not written must be now.</summary>
    public abstract ValueTask ReleaseAsync(CancellationToken cancellationToken);

    /// <summary>The chunk has all its bytes.</summary>
    public abstract ValueTask EndAsync(CancellationToken cancellationToken);

    /// <inheritdoc/>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    protected abstract void Prepare(long bytes);

    protected abstract void Take(ReadOnlyMemory<byte> bytes);

    protected void Count(ReadOnlySpan<byte> bytes)
    {
        hash?.AppendData(bytes);
        Bytes += bytes.Length;
    }

    protected virtual void Dispose(bool disposing)
    {
    }
}
