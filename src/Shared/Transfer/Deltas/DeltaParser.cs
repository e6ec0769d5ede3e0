namespace Millrace.Transfer;

/// <summary>The next thing in a delta.</summary>
internal enum DeltaToken
{
    /// <summary>All bytes were used; the rest of an instruction may be missing.</summary>
    More,

    /// <summary>Bytes of the file; <see cref="DeltaParser.Literal"/>.</summary>
    Literal,

    /// <summary>A part of the earlier version; <see cref="DeltaParser.Offset"/> and <see cref="DeltaParser.Length"/>.</summary>
    Copy,

    /// <summary>So many zeros: <see cref="DeltaParser.Length"/>.</summary>
    Zeros,
}

/// <summary>Reads a <see cref="DeltaFormat"/> from pieces that may end anywhere. Believes nothing: it comes from others.</summary>
/// <param name="baseLength">Bytes of the earlier version.</param>
/// <param name="room">Bytes that the result may have.</param>
internal sealed class DeltaParser(long baseLength, long room)
{
    private State _state = State.Version;
    private long _room = room;
    private ulong _number;
    private int _shift;
    private long _literalLeft;
    private long _end;

    private enum State
    {
        Version,
        Head,
        Distance,
        Literal,
        Zeros,
    }

    /// <summary>Bytes of a literal, from the front of the remaining bytes.</summary>
    public int Literal { get; private set; }

    /// <summary>Where a reference begins.</summary>
    public long Offset { get; private set; }

    /// <summary>How many bytes it has, or a run of zeros.</summary>
    public long Length { get; private set; }

    /// <summary>Whether the stream may end here.</summary>
    public bool IsBetween => _state == State.Head && _shift == 0;

    /// <summary>Reads on.</summary>
    /// <param name="bytes">The next bytes; loses those that were read, but those of a literal.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.InvalidRequest"/>; <see cref="TransferError.TooLarge"/>: more than there is room for.
    /// </exception>
    public DeltaToken Next(ref ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            switch (_state)
            {
                case State.Version:
                    if (bytes[0] != DeltaFormat.Version)
                    {
                        throw Invalid($"begins with {bytes[0]} instead of {DeltaFormat.Version}, the version of the format");
                    }

                    bytes = bytes[1..];
                    _state = State.Head;
                    break;

                case State.Head when TryNumber(ref bytes, out ulong head):
                    if (head == 0)
                    {
                        _state = State.Zeros;
                        break;
                    }

                    Take(head >> 1);
                    _state = (head & 1) == 0 ? State.Literal : State.Distance;
                    _literalLeft = Length;
                    break;

                case State.Zeros when TryNumber(ref bytes, out ulong zeros):
                    _state = State.Head;
                    Take(zeros);
                    if (Length < DeltaFormat.MinZeroBytes && _room > 0)
                    {
                        throw Invalid(
                            $"has a run of {Length} zeros; those have {DeltaFormat.MinZeroBytes} or more, except at the end of the file");
                    }

                    return DeltaToken.Zeros;

                case State.Distance when TryNumber(ref bytes, out ulong distance):
                    _state = State.Head;
                    SetCopy(DeltaFormat.Distance(distance));
                    return DeltaToken.Copy;

                case State.Literal:
                    Literal = (int)Math.Min(_literalLeft, bytes.Length);
                    _literalLeft -= Literal;
                    if (_literalLeft == 0)
                    {
                        _state = State.Head;
                    }

                    return DeltaToken.Literal;
            }
        }

        return DeltaToken.More;
    }

    private void Take(ulong length)
    {
        if (length == 0)
        {
            throw Invalid("has an instruction for no bytes");
        }

        if (length > (ulong)_room)
        {
            throw new TransferException(TransferError.TooLarge, $"The delta makes {length} more bytes of a file that accepts {_room}.");
        }

        Length = (long)length;
        _room -= Length;
    }

    private void SetCopy(long distance)
    {
        // Both are far from the ends of a long, or it is refused.
        Int128 offset = (Int128)_end + distance;
        if (offset < 0 || offset + Length > baseLength)
        {
            throw Invalid($"refers to bytes {offset} to {offset + Length} of a version with {baseLength}");
        }

        Offset = (long)offset;
        _end = Offset + Length;
        if (Length < DeltaFormat.MinCopyBytes && _end != baseLength)
        {
            throw Invalid($"has a reference to {Length} bytes; those have {DeltaFormat.MinCopyBytes} or more, except at the end of the version");
        }
    }

    private bool TryNumber(ref ReadOnlySpan<byte> bytes, out ulong number)
    {
        const int LastShift = 63;
        while (!bytes.IsEmpty)
        {
            byte next = bytes[0];
            bytes = bytes[1..];

            // Of the tenth byte one bit fits.
            if (_shift == LastShift && next > 1)
            {
                throw Invalid("has a number that does not fit into 64 bits");
            }

            _number |= (ulong)(next & 0x7F) << _shift;
            if (next < 0x80)
            {
                number = _number;
                (_number, _shift) = (0, 0);
                return true;
            }

            _shift += 7;
        }

        number = 0;
        return false;
    }

    private static TransferException Invalid(string what) =>
        new(TransferError.InvalidRequest, $"The delta {what}. Send the file as it is.");
}
