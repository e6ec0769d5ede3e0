using System.Diagnostics;

namespace Millrace.Transfer;

/// <summary>
/// Finds a file's bytes in a stream of messages, as it comes, in pieces of any size; the bytes themselves are neither
/// copied nor gathered. All other fields of a message, which are few, are gathered for Google.Protobuf.
/// </summary>
/// <remarks>
/// Not thread-safe. <see cref="GrpcFault"/> is thrown for invalid input; the parser is of no use afterwards.
/// </remarks>
internal sealed class ChunkParser
{
    /// <summary>Bytes of a message's other fields at most.</summary>
    /// <remarks>A name of 4,096 bytes, a hundred entity tags, and what later versions may add.</remarks>
    public const int MaxRest = 64 * 1024;

    private const int MaxDepth = 16;

    private readonly long _maxBytes;
    private readonly int _dataField;
    private byte[] _rest = [];
    private int _restBytes;
    private State _state = State.Prefix;
    private long _left;
    private long _fieldLeft;
    private ulong _varint;
    private int _varintBytes;
    private int _depth;
    private bool _open;
    private PrefixBytes _prefix;
    private int _prefixBytes;

    /// <summary>Begins in front of a frame.</summary>
    /// <param name="maxBytes">Bytes of one message at most, also of one that was compressed.</param>
    /// <param name="dataField">Number of the field that is not gathered.</param>
    public ChunkParser(long maxBytes, int dataField = ChunkHeader.DataField)
    {
        _maxBytes = maxBytes;
        _dataField = dataField;
    }

    private enum State
    {
        Prefix,
        Tag,
        Varint,
        Length,
        Gather,
        DataLength,
        Data,
        Compressed,
    }

    /// <summary>Bytes that follow a <see cref="ChunkToken.Data"/> or <see cref="ChunkToken.Compressed"/>.</summary>
    public long DataLeft => _fieldLeft;

    /// <summary>Whether the message has, or had, the field with the file's bytes.</summary>
    public bool HasData { get; private set; }

    /// <summary>The message's other fields so far, as a separate message. Valid until the next message.</summary>
    public ReadOnlySpan<byte> Rest => _rest.AsSpan(0, _restBytes);

    /// <summary>Whether the input may end here: between two frames.</summary>
    public bool IsBetween =>
        (_state == State.Prefix && _prefixBytes == 0) || (_state == State.Compressed && _fieldLeft == 0);

    /// <summary>Reads up to the next token. Bytes that follow a token are reported again until they are taken.</summary>
    /// <param name="input">The received bytes; cut to the rest of them.</param>
    public ChunkToken Read(ref ReadOnlySpan<byte> input)
    {
        if (_state == State.Compressed)
        {
            if (_fieldLeft > 0)
            {
                return input.IsEmpty ? ChunkToken.More : ChunkToken.Compressed;
            }

            _state = State.Prefix;
        }

        while (true)
        {
            if (_state != State.Prefix && !_open && _left == 0)
            {
                EndMessage();
                return ChunkToken.End;
            }

            if (_state == State.Data)
            {
                if (_fieldLeft > 0)
                {
                    return input.IsEmpty ? ChunkToken.More : ChunkToken.Data;
                }

                _state = State.Tag;
            }
            else if (input.IsEmpty)
            {
                return ChunkToken.More;
            }
            else if (_state == State.Prefix)
            {
                if (ReadPrefix(ref input))
                {
                    return ChunkToken.Compressed;
                }
            }
            else if (_state == State.Gather)
            {
                ReadGathered(ref input);
            }
            else
            {
                ReadVarint(ref input);
            }
        }
    }

    /// <summary>Marks as many of the bytes after a token as taken out of the input.</summary>
    public void Take(long bytes)
    {
        Debug.Assert(_state is State.Data or State.Compressed && bytes <= _fieldLeft, "No more than follows.");
        _fieldLeft -= bytes;
        if (_state == State.Data)
        {
            Use(bytes);
        }
    }

    /// <summary>Begins a message without a frame around it, whose length is known only afterwards: <see cref="EndOpen"/>.</summary>
    public void BeginOpen()
    {
        BeginMessage(_maxBytes);
        _open = true;
    }

    /// <summary>Ends it.</summary>
    public void EndOpen()
    {
        if (_state == State.Data && _fieldLeft == 0)
        {
            _state = State.Tag;
        }

        if (_state != State.Tag || _varintBytes > 0)
        {
            throw Malformed("a message ends within a field");
        }

        EndMessage();
    }

    private bool ReadPrefix(ref ReadOnlySpan<byte> input)
    {
        while (_prefixBytes < FramePrefix.Bytes && !input.IsEmpty)
        {
            _prefix[_prefixBytes++] = input[0];
            input = input[1..];
        }

        if (_prefixBytes < FramePrefix.Bytes)
        {
            return false;
        }

        _prefixBytes = 0;
        FramePrefix prefix = FramePrefix.Read(_prefix);
        if (prefix.Length > _maxBytes)
        {
            throw TooLarge(prefix.Length);
        }

        if (prefix.Flags > FramePrefix.Compressed)
        {
            throw Malformed($"a frame has the flags 0x{prefix.Flags:x2}");
        }

        if (prefix.Flags == FramePrefix.Compressed)
        {
            _state = State.Compressed;
            _fieldLeft = prefix.Length;
            return true;
        }

        BeginMessage(prefix.Length);
        return false;
    }

    private void BeginMessage(long length)
    {
        _left = length;
        _state = State.Tag;
        _restBytes = 0;
        _depth = 0;
        _varint = 0;
        _varintBytes = 0;
        HasData = false;
    }

    private void EndMessage()
    {
        if (_state is State.Varint or State.Length or State.DataLength || _varintBytes > 0 || _depth > 0)
        {
            throw Malformed("a message ends within a field");
        }

        _open = false;
        _state = State.Prefix;
    }

    private void ReadVarint(ref ReadOnlySpan<byte> input)
    {
        while (!input.IsEmpty)
        {
            if (_left == 0)
            {
                throw _open ? TooLarge(_maxBytes + 1) : Malformed("a message ends within a field");
            }

            byte next = input[0];
            input = input[1..];
            Use(1);
            if (_varintBytes == Varint.MaxBytes || (_varintBytes == Varint.MaxBytes - 1 && next > 1))
            {
                throw Malformed("a number has more than 64 bits");
            }

            _varint |= (ulong)(next & 0x7f) << (7 * _varintBytes++);
            if (next < 0x80)
            {
                ulong value = _varint;
                _varint = 0;
                _varintBytes = 0;
                TakeVarint(value);
                return;
            }
        }
    }

    private void TakeVarint(ulong value)
    {
        switch (_state)
        {
            case State.Tag:
                TakeTag(value);
                break;
            case State.Varint:
                GatherVarint(value);
                _state = State.Tag;
                break;
            case State.DataLength:
                SetLength(value);
                _state = State.Data;
                break;
            default:
                SetLength(value);
                GatherVarint(value);
                _state = value == 0 ? State.Tag : State.Gather;
                break;
        }
    }

    private void SetLength(ulong value)
    {
        if (value > (ulong)_left)
        {
            throw _open ? TooLarge(_maxBytes + 1) : Malformed("a field is longer than its message");
        }

        _fieldLeft = (long)value;
    }

    private void TakeTag(ulong tag)
    {
        ulong field = tag >> 3;
        if (field is 0 or > 0x1fff_ffff)
        {
            throw Malformed("a field has no number that can be");
        }

        int type = (int)(tag & 7);
        if (type == 2 && field == (ulong)_dataField && _depth == 0)
        {
            if (HasData)
            {
                throw Malformed("a message has its data twice");
            }

            HasData = true;
            _state = State.DataLength;
            return;
        }

        GatherVarint(tag);
        switch (type)
        {
            case 0:
                _state = State.Varint;
                break;
            case 1:
            case 5:
                SetLength(type == 1 ? 8UL : 4UL);
                _state = State.Gather;
                break;
            case 2:
                _state = State.Length;
                break;
            case 3 when _depth < MaxDepth:
                _depth++;
                break;
            case 4 when _depth > 0:
                _depth--;
                break;
            default:
                throw Malformed($"a field has the wire type {type}");
        }
    }

    private void ReadGathered(ref ReadOnlySpan<byte> input)
    {
        int bytes = (int)Math.Min(_fieldLeft, input.Length);
        Gather(input[..bytes]);
        input = input[bytes..];
        Use(bytes);
        _fieldLeft -= bytes;
        if (_fieldLeft == 0)
        {
            _state = State.Tag;
        }
    }

    private void GatherVarint(ulong value)
    {
        Span<byte> bytes = stackalloc byte[Varint.MaxBytes];
        bytes = bytes[..Varint.BytesFor(value)];
        Varint.Write(bytes, value);
        Gather(bytes);
    }

    private void Gather(ReadOnlySpan<byte> bytes)
    {
        if (_restBytes + (long)bytes.Length > MaxRest)
        {
            throw new GrpcFault(
                GrpcStatus.ResourceExhausted, $"A message has more than {MaxRest} bytes besides a file's; these are not for files.");
        }

        if (_restBytes + bytes.Length > _rest.Length)
        {
            Array.Resize(ref _rest, Math.Max(256, 2 * (_restBytes + bytes.Length)));
        }

        bytes.CopyTo(_rest.AsSpan(_restBytes));
        _restBytes += bytes.Length;
    }

    private void Use(long bytes) => _left -= bytes;

    private GrpcFault TooLarge(long bytes) => new(
        GrpcStatus.ResourceExhausted,
        $"A message has {(_open ? "more than " : "")}{(_open ? _maxBytes : bytes)} bytes, and {_maxBytes} are accepted. Send smaller chunks.");

    private static GrpcFault Malformed(string what) => new(
        GrpcStatus.Internal, $"The stream is not gRPC of this service: {what}.");

    [System.Runtime.CompilerServices.InlineArray(FramePrefix.Bytes)]
    private struct PrefixBytes
    {
        private byte _first;
    }
}
