using System.Buffers;
using System.Buffers.Text;

namespace Millrace.Transfer.Server;

/// <summary>What base64 stands for; it may be padded at any group of four characters and go on behind that.</summary>
internal sealed class Base64Stream(PipeReader text) : ReadOnlyStream
{
    /// <summary>Reads of 64 KiB, as everywhere.</summary>
    public static readonly StreamPipeReaderOptions PipeOptions = new(bufferSize: 64 * 1024, minimumReadSize: 16 * 1024);

    private const int GroupBytes = 3;
    private const int GroupCharacters = 4;

    private readonly byte[] _group = new byte[GroupCharacters];
    private readonly byte[] _tail = new byte[GroupBytes];
    private ReadOnlySequence<byte> _input;
    private SequencePosition _end;
    private int _held;
    private int _tailAt;
    private int _tailEnd;
    private bool _holds;
    private bool _isOver;

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (true)
        {
            int bytes = Decode(buffer.Span);
            if (bytes > 0)
            {
                return bytes;
            }

            if (_input.IsEmpty && !await FillAsync(cancellationToken))
            {
                return _held == 0 ? 0 : throw Malformed();
            }
        }
    }

    protected override void Dispose(bool disposing)
    {
        Release();
        base.Dispose(disposing);
    }

    private static GrpcFault Malformed() => new(GrpcStatus.Internal, "The request is not base64, as its media type says it is.");

    private int Decode(Span<byte> buffer)
    {
        if (_tailAt == _tailEnd && _held == 0 && _input.FirstSpan.Length >= GroupCharacters && buffer.Length >= GroupBytes)
        {
            // It stops in front of padding.
            Base64.DecodeFromUtf8(_input.FirstSpan, buffer, out int consumed, out int written, isFinalBlock: false);
            _input = _input.Slice(consumed);
            if (written > 0)
            {
                return written;
            }
        }

        if (_tailAt == _tailEnd)
        {
            GatherGroup();
        }

        int bytes = Math.Min(_tailEnd - _tailAt, buffer.Length);
        _tail.AsSpan(_tailAt, bytes).CopyTo(buffer);
        _tailAt += bytes;
        return bytes;
    }

    /// <summary>A group with padding, or one that several pieces of the input share.</summary>
    private void GatherGroup()
    {
        while (_held < GroupCharacters && !_input.IsEmpty)
        {
            if (_input.FirstSpan.IsEmpty)
            {
                _input = SkipEmpty(_input);
                continue;
            }

            // Lines may be broken anywhere, also within a group.
            byte next = _input.FirstSpan[0];
            _input = _input.Slice(1);
            if (next is not ((byte)'\r' or (byte)'\n'))
            {
                _group[_held++] = next;
            }
        }

        if (_held < GroupCharacters)
        {
            return;
        }

        if (Base64.DecodeFromUtf8(_group, _tail, out _, out int written) != OperationStatus.Done)
        {
            throw Malformed();
        }

        (_held, _tailAt, _tailEnd) = (0, 0, written);
    }

    private static ReadOnlySequence<byte> SkipEmpty(ReadOnlySequence<byte> input)
    {
        SequencePosition next = input.Start;
        input.TryGet(ref next, out _);
        return input.Slice(next);
    }

    private async ValueTask<bool> FillAsync(CancellationToken cancellationToken)
    {
        Release();
        if (_isOver)
        {
            return false;
        }

        ReadResult result = await text.ReadAsync(cancellationToken);
        (_input, _end, _holds, _isOver) = (result.Buffer, result.Buffer.End, true, result.IsCompleted);
        return !_isOver || !_input.IsEmpty;
    }

    private void Release()
    {
        _input = default;
        if (_holds)
        {
            _holds = false;
            text.AdvanceTo(_end);
        }
    }
}
