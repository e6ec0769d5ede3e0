namespace Millrace.Transfer.Server;

/// <summary>
/// Writes the bytes of received chunks to the store from where they are in the request, those of one read in one call. Only
/// chunks so small that a system call for two of them would cost more than copying are gathered in the store's memory.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
/// <param name="destination">The store's writer; not completed by this, and left with unflushed bytes.</param>
/// <param name="room">Maximum bytes to receive.</param>
/// <param name="hash">Hashes all received bytes; null when no digest is compared.</param>
internal sealed class ChunkSink(PipeWriter destination, long room, IncrementalHash? hash = null)
{
    /// <summary>Average bytes of a slice that is long enough to be written in place.</summary>
    /// <remarks>As many are copied in a microsecond or two, the cost of a system call.</remarks>
    private const int WorthCall = 8 * 1024;

    /// <summary>Bytes that are unpacked before they are written.</summary>
    private const int FlushBytes = 128 * 1024;

    private const int LentBytes = 64 * 1024;

    private readonly SliceList _slices = new();
    private Memory<byte> _lent;
    private long _unflushed;

    /// <summary>Bytes received.</summary>
    public long Bytes { get; private set; }

    /// <summary>Begins a chunk of so many bytes.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.TooLarge"/>: more than there is room for.</exception>
    public void Begin(long bytes)
    {
        if (bytes > room - Bytes)
        {
            throw new TransferException(
                TransferError.TooLarge, $"More bytes were received than the {room} that were declared, or that are accepted here.");
        }
    }

    /// <summary>Adds bytes of the chunk, which must stay where they are until <see cref="ReleaseAsync"/>.</summary>
    public void Add(ReadOnlyMemory<byte> bytes)
    {
        Count(bytes.Span);
        _slices.Add(bytes);
    }

    /// <summary>Lends memory for bytes of the chunk that are unpacked into it, at most as many as are still to come.</summary>
    public Memory<byte> Lend(long left)
    {
        int bytes = (int)Math.Min(left, LentBytes);
        return _lent = destination.GetMemory(bytes)[..bytes];
    }

    /// <summary>Takes as many bytes out of the memory that was lent.</summary>
    public async ValueTask LentAsync(int bytes, CancellationToken cancellationToken)
    {
        Count(_lent.Span[..bytes]);
        destination.Advance(bytes);
        _unflushed += bytes;
        if (_unflushed >= FlushBytes)
        {
            _unflushed = 0;
            await destination.FlushAsync(cancellationToken);
        }
    }

    /// <summary>Writes the added bytes: their memory is about to be reused.</summary>
    public async ValueTask ReleaseAsync(CancellationToken cancellationToken)
    {
        if (_slices.Count == 0)
        {
            return;
        }

        try
        {
            if (_slices.Bytes / _slices.Count >= WorthCall)
            {
                await BodyCopy.WriteAsync(_slices.ToSequence(), destination, cancellationToken);
            }
            else
            {
                foreach (ReadOnlyMemory<byte> slice in _slices.ToSequence())
                {
                    await destination.WriteAsync(slice, cancellationToken);
                }
            }
        }
        finally
        {
            _slices.Clear();
        }
    }

    private void Count(ReadOnlySpan<byte> bytes)
    {
        hash?.AppendData(bytes);
        Bytes += bytes.Length;
    }
}
