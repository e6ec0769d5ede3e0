using System.Buffers;

namespace Millrace.Transfer;

/// <summary>A stream that can go back, from the position on that it has at the beginning. It stays the caller's.</summary>
internal sealed class SeekableStreamSource : ContentSource
{
    private readonly Stream _stream;
    private readonly long _start;
    private readonly IMemoryOwner<byte> _block = AlignedMemoryPool.Shared.Rent(BlockBytes);
    private readonly SemaphoreSlim _gate = new(1);
    private long _position;

    public SeekableStreamSource(Stream stream)
    {
        _stream = stream;
        _start = stream.Position;
        Length = Math.Max(0, stream.Length - _start);
    }

    public override long? Length { get; }

    public override long Position => _position;

    public override bool CanSeek(long offset) => offset >= 0 && offset <= Length;

    public override void Seek(long offset)
    {
        _stream.Position = _start + offset;
        _position = offset;
    }

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        int wanted = (int)Math.Min(BlockBytes, Length!.Value - _position);
        if (wanted == 0)
        {
            return default;
        }

        int read = await _stream.ReadAsync(_block.Memory[..wanted], cancellationToken).ConfigureAwait(false);
        if (read == 0)
        {
            throw Ended(_position, Length!.Value);
        }

        _position += read;
        return _block.Memory[..read];
    }

    public override bool CanFork => true;

    public override ContentSource Fork() => new SharedStreamSource(_stream, _gate, _start, Length!.Value);

    public override ValueTask DisposeAsync()
    {
        _block.Dispose();
        _gate.Dispose();
        return default;
    }

    public static TransferException Ended(long position, long length) => new(
        TransferError.Changed,
        $"The stream ended at {position} of the {length} bytes that it said to have. Nothing was published.");
}

/// <summary>A stream that several read at once, each at its own position and into separate memory. It stays the caller's.</summary>
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
