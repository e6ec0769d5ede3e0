using System.Buffers;

namespace Millrace.Transfer;

/// <summary>
/// Lets a <see cref="Feed"/> go back to the first unacknowledged byte: its bytes are kept in native memory
/// until they are acknowledged, <see cref="Bound"/> bytes at most.
/// </summary>
internal sealed class RetainingSource : ContentSource
{
    /// <summary>Bytes kept; also the most that one request brings.</summary>
    /// <remarks>Large enough that a round trip for each does not matter, small enough for many at once.</remarks>
    public const int Bound = 8 * 1024 * 1024;

    private readonly Feed _feed;
    private readonly List<IMemoryOwner<byte>> _blocks = [];
    private ReadOnlyMemory<byte> _rest;
    private long? _length;

    // The bytes [_start, _end) of the content are kept; the first of them is the first of _blocks.
    private long _start;
    private long _end;
    private long _position;

    public RetainingSource(Feed feed, long? length)
    {
        _feed = feed;
        _length = length;
    }

    public override long? Length => _length;

    public override long MaxFrom(long offset) => Bound - (offset - _start);

    public override long Position => _position;

    public override bool CanSeek(long offset) => offset >= _start && offset <= _end;

    public override void Seek(long offset) => _position = offset;

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        if (_position == _end && !await FetchAsync(cancellationToken).ConfigureAwait(false))
        {
            return default;
        }

        long at = _position - _start;
        int within = (int)(at % BlockBytes);
        int count = (int)Math.Min(BlockBytes - within, _end - _position);
        _position += count;
        return _blocks[(int)(at / BlockBytes)].Memory.Slice(within, count);
    }

    public override void Acknowledge(long offset)
    {
        // Whole requests are acknowledged; a part of one is kept, so that blocks need no moving.
        if (offset == _end)
        {
            _start = offset;
            _position = offset;
            Release();
        }
    }

    /// <inheritdoc/>
    /// <remarks>Where the length is not known, so many bytes are read and kept.</remarks>
    public override async ValueTask<bool> IsWithinAsync(long bytes, CancellationToken cancellationToken)
    {
        if (_length is { } length)
        {
            return length <= bytes;
        }

        while (_end - _start <= bytes)
        {
            _position = _end;
            if (!await FetchAsync(cancellationToken).ConfigureAwait(false))
            {
                _position = _start;
                return true;
            }
        }

        _position = _start;
        return false;
    }

    public override async ValueTask DisposeAsync()
    {
        Release();
        await _feed.DisposeAsync().ConfigureAwait(false);
    }

    private async ValueTask<bool> FetchAsync(CancellationToken cancellationToken)
    {
        if (_rest.IsEmpty)
        {
            _rest = await _feed.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (_rest.IsEmpty)
            {
                ThrowIfShort();
                _length = _end;
                return false;
            }
        }

        if (_length is { } length && _end + _rest.Length > length)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                $"The content is longer than the declared {length} bytes. Nothing was published; give the right length, or none.");
        }

        if (_end - _start >= Bound && _position == _end)
        {
            // More than can be asked for again: only a server without resumption gets here.
            _start = _end;
            Release();
        }

        int within = (int)((_end - _start) % BlockBytes);
        if (within == 0 && _blocks.Count * (long)BlockBytes == _end - _start)
        {
            _blocks.Add(AlignedMemoryPool.Shared.Rent(BlockBytes));
        }

        int count = Math.Min(BlockBytes - within, _rest.Length);
        _rest.Span[..count].CopyTo(_blocks[^1].Memory.Span[within..]);
        _rest = _rest[count..];
        _end += count;
        return true;
    }

    private void ThrowIfShort()
    {
        if (_length is { } length && _end < length)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                $"The content ended at {_end} of the declared {length} bytes. Nothing was published.");
        }
    }

    private void Release()
    {
        foreach (IMemoryOwner<byte> block in _blocks)
        {
            block.Dispose();
        }

        _blocks.Clear();
    }
}
