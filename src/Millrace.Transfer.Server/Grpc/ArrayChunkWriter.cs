using System.Buffers;
using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>
/// Gathers each chunk in an array of its own and writes it as a message when it is whole, as message-oriented libraries have
/// it.
/// </summary>
internal sealed class ArrayChunkWriter(PipeWriter destination, ChunkPlan plan, bool compresses, int flushBytes)
    : FramingWriter(destination, flushBytes), IDisposable
{
    private byte[] _array = [];
    private int _filled;
    private long _left = plan.Count;

    /// <inheritdoc/>
    public override long Written => plan.Count - _left;

    /// <inheritdoc/>
    public override long UnflushedBytes => base.UnflushedBytes + _filled;

    /// <inheritdoc/>
    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        int bytes = Math.Max(1, sizeHint);
        if (_array.Length - _filled < bytes)
        {
            byte[] larger = New(Math.Max(plan.ChunkBytes, _filled + bytes));
            _array.AsSpan(0, _filled).CopyTo(larger);
            Return(_array);
            _array = larger;
        }

        return _array.AsMemory(_filled);
    }

    /// <inheritdoc/>
    public override void Advance(int bytes)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, _left - _filled);
        _filled += bytes;
        while (_filled > 0 && (_filled >= plan.ChunkBytes || _filled == _left))
        {
            Send(Math.Min(_filled, plan.ChunkBytes));
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Return(_array);
        _array = [];
    }

    private void Send(int bytes)
    {
        byte[] message = _array;
        int rest = _filled - bytes;
        _array = rest > 0 ? New(Math.Max(plan.ChunkBytes, rest)) : [];
        message.AsSpan(bytes, rest).CopyTo(_array);
        _filled = rest;
        _left -= bytes;
        if (!compresses || !TryPack(message.AsMemory(0, bytes)))
        {
            Span<byte> header = stackalloc byte[ChunkHeader.BytesFor(bytes)];
            ChunkHeader.Write(header, bytes);
            WriteToDestination(header);
            WriteToDestination(message.AsSpan(0, bytes));
        }

        Return(message);
    }

    private bool TryPack(ReadOnlyMemory<byte> content)
    {
        if (content.Length <= FramePrefix.Bytes)
        {
            // A frame alone is longer.
            return false;
        }

        byte[] packed = New(content.Length);
        int bytes = ChunkPacker.Pack(new ReadOnlySequence<byte>(content), packed.AsMemory(0, content.Length));
        WriteToDestination(packed.AsSpan(0, bytes));
        Return(packed);
        return bytes > 0;
    }

    private byte[] New(int bytes) =>
        plan.Handling == ChunkHandling.RentedArray ? ArrayPool<byte>.Shared.Rent(bytes) : new byte[bytes];

    private void Return(byte[] array)
    {
        if (plan.Handling == ChunkHandling.RentedArray && array.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(array);
        }
    }
}
