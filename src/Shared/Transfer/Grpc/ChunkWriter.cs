using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>
/// Puts the header of a chunk before the bytes written between two flushes, in the memory that the destination
/// lends: the file is read right after the room that was left for it.
/// </summary>
internal sealed class ChunkWriter(PipeWriter destination, int flushBytes) : FramingWriter(destination, flushBytes)
{
    private int _header;
    private Memory<byte> _lent;
    private long _written;

    public override long Written => _written;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        int bytes = Math.Clamp(sizeHint, 1, ChunkHeader.MaxData);
        _header = sizeHint == 0 ? ChunkHeader.MaxBytes : ChunkHeader.BytesFor(bytes);
        _lent = Destination.GetMemory(bytes + _header);
        return _lent[_header..Math.Min(_lent.Length, _header + (sizeHint == 0 ? ChunkHeader.MaxData : MaxFor(_header)))];
    }

    /// <summary>A chunk of the bytes in the memory that was lent last.</summary>
    public override void Advance(int bytes)
    {
        if (bytes == 0)
        {
            return;
        }

        ChunkHeader.Write(_lent.Span[.._header], bytes);
        AdvanceDestination(_header + bytes);
        _lent = default;
        _written += bytes;
    }

    /// <summary>Bytes of a file whose length a header of that many bytes holds.</summary>
    private static int MaxFor(int header) => (1 << (7 * (header - FramePrefix.Bytes - 1))) - 1;
}
