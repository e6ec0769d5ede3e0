namespace Millrace.Transfer.Server;

/// <summary>
/// Puts the headers of chunks of a length that is known beforehand among the written bytes, in the memory that the
/// destination lends, however the bytes come: bytes after the end of a chunk are moved to make room for the next one's
/// header.
/// </summary>
internal sealed class FramedChunkWriter(PipeWriter destination, ChunkPlan plan, int flushBytes)
    : FramingWriter(destination, flushBytes)
{
    private readonly int _chunk = plan.ChunkBytes;
    private Memory<byte> _lent;
    private int _front;
    private int _inChunk;
    private long _left = plan.Count;

    public override long Written => plan.Count - _left;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        int bytes = sizeHint == 0 ? Math.Max(1, NextChunk(_left)) : sizeHint;
        _front = _inChunk == 0 ? ChunkHeader.BytesFor(NextChunk(_left)) : 0;
        _lent = Destination.GetMemory(_front + bytes + (((bytes / _chunk) + 1) * ChunkHeader.MaxBytes));
        return _lent.Slice(_front, bytes);
    }

    public override void Advance(int bytes)
    {
        if (bytes == 0)
        {
            return;
        }

        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, _left);
        Span<byte> memory = _lent.Span;
        int first = _inChunk == 0 ? NextChunk(_left) : _inChunk;
        if (_front > 0)
        {
            ChunkHeader.Write(memory[.._front], first);
        }

        int behind = bytes - first;
        int headers = behind > 0 ? Spread(memory[(_front + first)..], behind, _left - first) : 0;
        _inChunk = behind <= 0 ? first - bytes : NextChunk(_left - first - WholeBefore(behind)) - (behind - WholeBefore(behind));
        _left -= bytes;
        _lent = default;
        AdvanceDestination(_front + bytes + headers);
    }

    /// <summary>Bytes of the chunk that begins with so many left.</summary>
    private int NextChunk(long left) => (int)Math.Min(_chunk, left);

    /// <summary>Bytes of whole chunks in front of the last one that some bytes reach into.</summary>
    private int WholeBefore(int bytes) => (bytes - 1) / _chunk * _chunk;

    /// <summary>Makes room for the headers of the chunks that begin in some bytes, from the last one on.</summary>
    /// <returns>Bytes of the headers.</returns>
    private int Spread(Span<byte> memory, int bytes, long left)
    {
        int whole = ChunkHeader.BytesFor(_chunk);
        int all = 0;
        for (int at = WholeBefore(bytes); at >= 0; at -= _chunk)
        {
            int chunk = NextChunk(left - at);
            int header = ChunkHeader.BytesFor(chunk);
            int before = at / _chunk * whole;
            memory[at..Math.Min(bytes, at + _chunk)].CopyTo(memory[(at + before + header)..]);
            ChunkHeader.Write(memory.Slice(at + before, header), chunk);
            all = Math.Max(all, before + header);
        }

        return all;
    }
}
