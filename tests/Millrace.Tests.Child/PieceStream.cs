namespace Millrace.Tests.Child;

/// <summary>A stream without positions that gives no more than a piece with every read, later and on another thread.</summary>
internal sealed class PieceStream(IEnumerable<ReadOnlyMemory<byte>> pieces) : Stream
{
    private readonly Queue<ReadOnlyMemory<byte>> _pieces = new(pieces.Where(piece => !piece.IsEmpty));
    private ReadOnlyMemory<byte> _piece;

    /// <summary>Whether it was disposed.</summary>
    public bool IsDisposed { get; private set; }

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        await Task.Yield();
        cancellationToken.ThrowIfCancellationRequested();
        return Read(buffer.Span);
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override int Read(Span<byte> buffer)
    {
        if (_piece.IsEmpty && !_pieces.TryDequeue(out _piece))
        {
            return 0;
        }

        int length = Math.Min(_piece.Length, buffer.Length);
        _piece.Span[..length].CopyTo(buffer);
        _piece = _piece[length..];
        return length;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        IsDisposed = true;
        base.Dispose(disposing);
    }
}
