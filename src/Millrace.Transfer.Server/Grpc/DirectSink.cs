using System.IO.Pipelines;
using System.Security.Cryptography;

namespace Millrace.Transfer.Server;

/// <summary>
/// Bytes go to the file from where they arrived, and those of one read in one call. Only chunks that are so small that a
/// system call for two of them would cost more than copying are gathered in the store's memory.
/// </summary>
internal sealed class DirectSink(PipeWriter destination, long room, IncrementalHash? hash)
    : ChunkSink(destination, room, hash)
{
    /// <summary>Bytes of a piece, on average, from which on it is written from where it is.</summary>
    /// <remarks>As many are copied in a microsecond or two, which is what a system call costs.</remarks>
    private const int WorthCall = 8 * 1024;

    /// <summary>Bytes that are unpacked before they are written.</summary>
    private const int FlushBytes = 128 * 1024;

    /// <summary>Bytes that are lent at once.</summary>
    private const int LentBytes = 64 * 1024;

    private readonly SliceList _slices = new();
    private Memory<byte> _lent;
    private long _unflushed;

    public override Memory<byte> Lend(long left)
    {
        int bytes = (int)Math.Min(left, LentBytes);
        return _lent = Destination.GetMemory(bytes)[..bytes];
    }

    public override async ValueTask LentAsync(int bytes, CancellationToken cancellationToken)
    {
        Count(_lent.Span[..bytes]);
        Destination.Advance(bytes);
        _unflushed += bytes;
        if (_unflushed >= FlushBytes)
        {
            _unflushed = 0;
            await Destination.FlushAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    public override async ValueTask ReleaseAsync(CancellationToken cancellationToken)
    {
        if (_slices.Count == 0)
        {
            return;
        }

        try
        {
            if (_slices.Bytes / _slices.Count >= WorthCall)
            {
                await BodyCopy.WriteAsync(_slices.ToSequence(), Destination, cancellationToken).ConfigureAwait(false);
            }
            else
            {
                foreach (ReadOnlyMemory<byte> slice in _slices.ToSequence())
                {
                    await Destination.WriteAsync(slice, cancellationToken).ConfigureAwait(false);
                }
            }
        }
        finally
        {
            _slices.Clear();
        }
    }

    public override ValueTask EndAsync(CancellationToken cancellationToken) => default;

    protected override void Prepare(long bytes)
    {
    }

    protected override void Take(ReadOnlyMemory<byte> bytes) => _slices.Add(bytes);
}
