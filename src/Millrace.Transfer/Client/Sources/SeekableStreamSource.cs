using System.Buffers;

namespace Millrace.Transfer;

/// <summary>
/// A stream that can go back, from the position on that it has at the beginning. It stays the caller's. Several of these read
/// it at once, each at its own position and into separate memory.
/// </summary>
internal sealed class SeekableStreamSource : ContentSource
{
    private readonly Stream _stream;
    private readonly long _start;
    private readonly long _length;
    private readonly SemaphoreSlim _gate;
    private readonly IMemoryOwner<byte> _block = AlignedMemoryPool.Shared.Rent(BlockBytes);
    private long _position;

    public SeekableStreamSource(Stream stream)
        : this(stream, stream.Position, Math.Max(0, stream.Length - stream.Position), new SemaphoreSlim(1))
    {
    }

    private SeekableStreamSource(Stream stream, long start, long length, SemaphoreSlim gate)
    {
        _stream = stream;
        _start = start;
        _length = length;
        _gate = gate;
    }

    public override long? Length => _length;

    public override long Position => _position;

    public override bool CanSeek(long offset) => offset >= 0 && offset <= _length;

    public override void Seek(long offset) => _position = offset;

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        int wanted = (int)Math.Min(BlockBytes, _length - _position);
        if (wanted == 0)
        {
            return default;
        }

        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        Memory<byte> memory;
        int read;
        try
        {
            if (_stream.Position != _start + _position)
            {
                _stream.Position = _start + _position;
            }

            // A file's bytes lie in pages as they do here: docs/measuring.md.
            memory = _block.Memory.Slice((int)(_stream.Position % Environment.SystemPageSize), wanted);
            read = await _stream.ReadAsync(memory, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _gate.Release();
        }

        _position += read;
        return read > 0
            ? memory[..read]
            : throw new TransferException(
                TransferError.Changed,
                $"The stream ended at {_position} of its declared {_length} bytes. Nothing was published.");
    }

    public override bool CanFork => true;

    public override ContentSource Fork() => new SeekableStreamSource(_stream, _start, _length, _gate);

    public override ValueTask DisposeAsync()
    {
        // The gate is the other readers' too, and has nothing to give back.
        _block.Dispose();
        return default;
    }
}
