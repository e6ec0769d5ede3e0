using System.Buffers;

namespace Millrace.Transfer;

/// <summary>A stream that several read at once, each at its own position and into memory of its own. It stays the caller's.</summary>
/// <param name="stream">Read by whoever holds the gate.</param>
/// <param name="gate">One for all who read the stream.</param>
/// <param name="start">Where the content begins in it.</param>
/// <param name="length">Bytes of the content.</param>
internal sealed class SharedStreamSource(Stream stream, SemaphoreSlim gate, long start, long length) : ContentSource
{
    private readonly IMemoryOwner<byte> _block = AlignedMemoryPool.Shared.Rent(BlockBytes);
    private long _position;

    public override long? Length => length;

    public override long Position => _position;

    public override bool CanSeek(long offset) => offset >= 0 && offset <= length;

    public override void Seek(long offset) => _position = offset;

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        int wanted = (int)Math.Min(BlockBytes, length - _position);
        if (wanted == 0)
        {
            return default;
        }

        await gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        int read;
        try
        {
            stream.Position = start + _position;
            read = await stream.ReadAsync(_block.Memory[..wanted], cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            gate.Release();
        }

        if (read == 0)
        {
            throw SeekableStreamSource.Ended(_position, length);
        }

        _position += read;
        return _block.Memory[..read];
    }

    public override ValueTask DisposeAsync()
    {
        _block.Dispose();
        return default;
    }
}
