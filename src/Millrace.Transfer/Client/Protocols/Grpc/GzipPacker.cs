using System.Buffers;
using System.IO.Compression;

namespace Millrace.Transfer;

/// <summary>Compresses messages, one after the other, into native memory that it keeps.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class GzipPacker : WriteOnlyStream
{
    private readonly List<IMemoryOwner<byte>> _blocks = [];
    private GZipStream? _gzip;
    private long _bytes;

    /// <summary>Pieces of the frame that was made, prefix included.</summary>
    public int Count => (int)((_bytes + PieceBytes - 1) / PieceBytes);

    private static int PieceBytes => AlignedMemoryPool.Shared.MaxBufferSize;

    /// <summary>A piece of it, valid until <see cref="Begin"/>.</summary>
    public ReadOnlyMemory<byte> PieceOf(int index) =>
        _blocks[index].Memory[..(int)Math.Min(PieceBytes, _bytes - (index * (long)PieceBytes))];

    /// <summary>Begins a message.</summary>
    public void Begin()
    {
        _bytes = 0;
        Span<byte> room = stackalloc byte[FramePrefix.Bytes];
        Append(room);
        _gzip = new GZipStream(this, CompressionLevel.Fastest, leaveOpen: true);
    }

    /// <summary>Compresses more of it.</summary>
    public void Add(ReadOnlySpan<byte> bytes) => _gzip!.Write(bytes);

    /// <summary>Ends it.</summary>
    public void End()
    {
        _gzip!.Dispose();
        _gzip = null;
        new FramePrefix(FramePrefix.Compressed, (uint)(_bytes - FramePrefix.Bytes)).Write(_blocks[0].Memory.Span);
    }

    public override void Write(ReadOnlySpan<byte> buffer) => Append(buffer);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        Append(buffer.Span);
        return default;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _gzip?.Dispose();
            _gzip = null;
            foreach (IMemoryOwner<byte> block in _blocks)
            {
                block.Dispose();
            }

            _blocks.Clear();
        }

        base.Dispose(disposing);
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            int index = (int)(_bytes / PieceBytes);
            int within = (int)(_bytes % PieceBytes);
            if (index == _blocks.Count)
            {
                _blocks.Add(AlignedMemoryPool.Shared.Rent(PieceBytes));
            }

            int count = Math.Min(PieceBytes - within, bytes.Length);
            bytes[..count].CopyTo(_blocks[index].Memory.Span[within..]);
            bytes = bytes[count..];
            _bytes += count;
        }
    }
}

/// <summary>Reads memory, which stays the caller's: a decompressor's input.</summary>
internal sealed class HeldStream(ReadOnlyMemory<byte> memory) : ReadOnlyStream
{
    private ReadOnlyMemory<byte> _left = memory;

    public override int Read(Span<byte> buffer)
    {
        int bytes = Math.Min(buffer.Length, _left.Length);
        _left.Span[..bytes].CopyTo(buffer);
        _left = _left[bytes..];
        return bytes;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        ValueTask.FromResult(Read(buffer.Span));
}
