using Millrace.Buffers;

namespace Millrace.Transfer;

/// <summary>A stream that can go back, from the position on that it has at the beginning. It stays the caller's.</summary>
internal sealed class SeekableStreamSource : ContentSource
{
    private readonly Stream _stream;
    private readonly long _start;
    private readonly NativeBlock _block = BlockPool.Shared.Rent();
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
        int wanted = (int)Math.Min(BlockPool.BodyBytes, Length!.Value - _position);
        if (wanted == 0)
        {
            return default;
        }

        int read = await _stream.ReadAsync(_block.Writable[..wanted], cancellationToken).ConfigureAwait(false);
        if (read == 0)
        {
            throw Ended(_position, Length!.Value);
        }

        _position += read;
        return _block.Writable[..read];
    }

    public override bool CanFork => true;

    public override ContentSource Fork() => new SharedStreamSource(_stream, _gate, _start, Length!.Value);

    public override ValueTask DisposeAsync()
    {
        _block.Release();
        _gate.Dispose();
        return default;
    }

    public static TransferException Ended(long position, long length) => new(
        TransferError.Changed,
        $"The stream ended at {position} of the {length} bytes that it said to have. Nothing was published.");
}
