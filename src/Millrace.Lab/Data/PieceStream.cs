namespace Millrace.Lab.Data;

/// <summary>Passes on what is written to it in pieces of one length, whatever the lengths of the writes.</summary>
/// <remarks>A BufferedStream passes long writes through as they are.</remarks>
internal sealed class PieceStream(Stream destination, int pieceBytes) : Stream
{
    private readonly byte[] _piece = new byte[pieceBytes];
    private int _used;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        while (!buffer.IsEmpty)
        {
            int taken = Math.Min(buffer.Length, _piece.Length - _used);
            buffer[..taken].CopyTo(_piece.AsSpan(_used));
            _used += taken;
            buffer = buffer[taken..];
            if (_used == _piece.Length)
            {
                Flush();
            }
        }
    }

    public override void Flush()
    {
        destination.Write(_piece, 0, _used);
        _used = 0;
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Flush();
        }

        base.Dispose(disposing);
    }
}
