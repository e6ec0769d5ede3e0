namespace Millrace.Transfer;

/// <summary>The instructions of one request of a delta. Its positions are counted from the offset in the file where it begins.</summary>
/// <param name="file">Has the literals; stays the caller's.</param>
/// <param name="encoding">The instructions.</param>
internal sealed class DeltaSource(ContentSource file, DeltaEncoding encoding) : ContentSource
{
    /// <summary>Bytes that are sent at once: no large object, and the collector's, as a connection that ends late may still read them.</summary>
    private const int SentBytes = 64 * 1024;

    private readonly byte[] _block = new byte[SentBytes];
    private ReadOnlyMemory<byte> _literal;
    private long _literalLeft;
    private long _position = encoding.Offset;
    private long _expected;
    private int _part = -1;

    public override long? Length => encoding.Offset + encoding.Bytes;

    public override long Position => _position;

    /// <summary>Bytes of the instructions.</summary>
    public long Bytes => encoding.Bytes;

    /// <summary>Where the last instruction ends in the file.</summary>
    public long End => encoding.End;

    /// <summary>How far in the file the instructions are that were read.</summary>
    public long Reached => _part < 0 ? encoding.Offset : _part == encoding.Parts.Count ? End : encoding.Parts[_part].End - _literalLeft;

    public override bool CanSeek(long offset) => offset == encoding.Offset;

    public override void Seek(long offset)
    {
        _part = -1;
        _position = offset;
        _literal = default;
        _literalLeft = 0;
        _expected = 0;
    }

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        int filled = 0;
        if (_part < 0 && encoding.Parts.Count > 0)
        {
            _block[filled++] = DeltaFormat.Version;
            _part = 0;
            filled += Begin(_block.AsSpan(filled));
        }

        while (filled < _block.Length && _part < encoding.Parts.Count)
        {
            if (_literalLeft > 0)
            {
                if (_literal.IsEmpty)
                {
                    _literal = await file.ReadAsync(cancellationToken).ConfigureAwait(false);
                    if (_literal.IsEmpty)
                    {
                        throw new TransferException(TransferError.Changed, "The file became shorter while it was uploaded. Upload it again.");
                    }
                }

                int count = (int)Math.Min(Math.Min(_literal.Length, _literalLeft), _block.Length - filled);
                _literal.Span[..count].CopyTo(_block.AsSpan(filled));
                _literal = _literal[count..];
                _literalLeft -= count;
                filled += count;
            }
            else if (_block.Length - filled < DeltaFormat.MaxInstructionBytes)
            {
                break;
            }
            else if (++_part < encoding.Parts.Count)
            {
                filled += Begin(_block.AsSpan(filled));
            }
        }

        _position += filled;
        return _block.AsMemory(0, filled);
    }

    public override void ThrowIfChanged() => file.ThrowIfChanged();

    public override ValueTask DisposeAsync() => default;

    private int Begin(Span<byte> to)
    {
        DeltaPart part = encoding.Parts[_part];
        if (part.IsLiteral)
        {
            file.Seek(part.Offset);
            _literal = default;
            _literalLeft = part.Length;
            return DeltaFormat.WriteLiteral(to, part.Length);
        }

        if (!part.IsCopy)
        {
            return DeltaFormat.WriteZeros(to, part.Length);
        }

        long distance = part.Base - _expected;
        _expected = part.Base + part.Length;
        return DeltaFormat.WriteCopy(to, part.Length, distance);
    }
}

/// <summary>Reports how far a file is whose instructions are sent.</summary>
internal sealed class DeltaMeter(IMeter meter, DeltaSource source) : IMeter
{
    public void Report(long transferred, bool last = false) => meter.Report(source.Reached, last);

    public void Move(int bytes) => meter.Move(bytes);
}
