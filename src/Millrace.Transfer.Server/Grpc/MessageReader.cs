using System.Buffers;
using Google.Protobuf;

namespace Millrace.Transfer.Server;

/// <summary>
/// Reads a request's messages as they come. Bytes of a file are handed on where they are; a compressed message is unpacked
/// as it is read.
/// </summary>
/// <remarks>Not thread-safe. The body is not completed by this.</remarks>
internal sealed class MessageReader : IDisposable
{
    private readonly GrpcCall _call;
    private readonly PipeReader _body;
    private readonly int _dataField;
    private readonly ChunkParser _frames;
    private readonly long _maxBytes;
    private readonly long? _maxBodyBytes;
    private PackedMessage? _packed;
    private bool _isPacked;
    private ChunkSink? _sink;
    private ReadOnlySequence<byte> _input;
    private SequencePosition _end;
    private CancellationToken _stop;
    private long _received;
    private bool _holds;
    private bool _isOver;

    public MessageReader(GrpcCall call, PipeReader body, int dataField)
    {
        _call = call;
        _body = body;
        _dataField = dataField;
        _maxBytes = call.Options.Grpc.MaxMessageBytes;
        _maxBodyBytes = TransferGuard.Of(call.Context).Limits.MaxBodyBytes;
        _frames = new ChunkParser(_maxBytes, dataField);
        _stop = call.Ended;
    }

    /// <summary>Whether the message has, or had, the field with the file's bytes.</summary>
    public bool HasData => Parser.HasData;

    /// <summary>The message's other fields so far. Valid until the next message.</summary>
    public ReadOnlySpan<byte> Rest => Parser.Rest;

    private ChunkParser Parser => _isPacked ? _packed!.Parser : _frames;

    /// <summary>Reads up to a file's bytes or up to a message's end.</summary>
    /// <returns><see cref="ChunkToken.More"/> at the end of the request.</returns>
    /// <exception cref="GrpcFault">The bytes are malformed.</exception>
    public async ValueTask<ChunkToken> NextAsync()
    {
        _isPacked = _isPacked && !_packed!.IsOver;
        while (true)
        {
            ChunkToken token = _isPacked ? await _packed!.ReadAsync(_stop) : Read();
            switch (token)
            {
                case ChunkToken.Compressed:
                    Unpack();
                    break;
                case ChunkToken.More when await FillAsync(): break;
                case ChunkToken.More when !_frames.IsBetween:
                    throw Truncated();
                default:
                    return token;
            }
        }
    }

    /// <summary>The one message of a request.</summary>
    /// <exception cref="GrpcFault">There is none, or another.</exception>
    public async ValueTask<T> ReadOnlyAsync<T>(MessageParser<T> parser)
        where T : IMessage<T>
    {
        if (await NextAsync() == ChunkToken.More)
        {
            throw NotOne("none");
        }

        T message = StrictMessage.Parse(parser, Rest);
        await ThrowIfMoreAsync();
        return message;
    }

    /// <summary>Reads to the request's end, where no other message may be.</summary>
    public async ValueTask ThrowIfMoreAsync()
    {
        if (await NextAsync() != ChunkToken.More)
        {
            throw NotOne("another");
        }
    }

    /// <summary>From now on a file's bytes go there, and reading is stopped by that.</summary>
    public void Into(ChunkSink sink, CancellationToken stop)
    {
        _sink = sink;
        _stop = stop;
    }

    /// <summary>Moves the bytes that <see cref="NextAsync"/> has announced into the sink.</summary>
    public async ValueTask TakeDataAsync()
    {
        ChunkSink sink = _sink!;
        sink.Begin(Parser.DataLeft);
        if (_isPacked)
        {
            // Added bytes come before bytes in the sink's memory.
            await sink.ReleaseAsync(_stop);
            await _packed!.TakeDataAsync(sink, _stop);
        }
        else
        {
            while (_frames.DataLeft > 0)
            {
                if (_input.IsEmpty && !await FillAsync())
                {
                    throw Truncated();
                }

                ReadOnlyMemory<byte> first = _input.First;
                int bytes = (int)Math.Min(_frames.DataLeft, first.Length);
                sink.Add(first[..bytes]);
                _frames.Take(bytes);
                Skip(bytes);
            }
        }
    }

    /// <summary>Bytes of the compressed message that are still to come.</summary>
    public long PackedLeft => _frames.DataLeft;

    /// <summary>Bytes of the compressed message that is being unpacked.</summary>
    /// <returns>0 when it has ended.</returns>
    public async ValueTask<int> ReadPackedAsync(Memory<byte> buffer)
    {
        if (_frames.DataLeft == 0)
        {
            return 0;
        }

        if (_input.IsEmpty && !await FillAsync())
        {
            throw Truncated();
        }

        int bytes = (int)Math.Min(Math.Min(_frames.DataLeft, buffer.Length), _input.FirstSpan.Length);
        _input.FirstSpan[..bytes].CopyTo(buffer.Span);
        _frames.Take(bytes);
        Skip(bytes);
        return bytes;
    }

    public void Dispose()
    {
        _packed?.Dispose();
        if (_holds)
        {
            _holds = false;
            try
            {
                _body.AdvanceTo(_end);
            }
            catch (BadHttpRequestException)
            {
                // More than the server's limit of a body was received. The call has ended, and its status is sent already.
            }
        }
    }

    private static GrpcFault Truncated() => new(
        GrpcStatus.Internal, "The request ends within a message: the rest of it was lost, or never sent.");

    private static GrpcFault NotOne(string what) => new(
        GrpcStatus.Unimplemented, $"This method accepts one message, but {what} came.");

    private ChunkToken Read()
    {
        while (true)
        {
            ReadOnlySpan<byte> span = _input.FirstSpan;
            int before = span.Length;
            ChunkToken token = _frames.Read(ref span);
            Skip(before - span.Length);
            if (token != ChunkToken.More || _input.IsEmpty)
            {
                return token;
            }
        }
    }

    private void Unpack()
    {
        if (!_call.AcceptsGzip)
        {
            throw new GrpcFault(
                GrpcStatus.Internal, $"A message is compressed, but {GrpcFields.Encoding} is missing.");
        }

        _packed ??= new PackedMessage(this, new ChunkParser(_maxBytes, _dataField));
        _packed.Begin();
        _isPacked = true;
    }

    private async ValueTask<bool> FillAsync()
    {
        if (_holds)
        {
            if (_sink is not null)
            {
                await _sink.ReleaseAsync(_stop);
            }

            _holds = false;
            _body.AdvanceTo(_end);
        }

        _input = default;
        while (!_isOver && _input.IsEmpty)
        {
            ReadResult result = await BodyCopy.ReadAsync(_body, _stop);
            if (result.IsCanceled)
            {
                throw new OperationCanceledException("Receiving was canceled.");
            }

            _isOver = result.IsCompleted;
            _end = result.Buffer.End;
            _input = result.Buffer;
            _holds = true;
            _received += _input.Length;
            if (_received > _maxBodyBytes)
            {
                throw new TransferException(
                    TransferError.TooLarge, $"The request has more than the {_maxBodyBytes} bytes that this server accepts.");
            }

            Skip(0);
            if (_input.IsEmpty)
            {
                _holds = false;
                _body.AdvanceTo(_end);
            }
        }

        return !_input.IsEmpty;
    }

    /// <summary>Goes on after bytes of the first segment, and over segments with nothing in them.</summary>
    private void Skip(int bytes)
    {
        _input = bytes == 0 ? _input : _input.Slice(bytes);
        while (_input.FirstSpan.IsEmpty && !_input.IsEmpty)
        {
            SequencePosition next = _input.Start;
            _input.TryGet(ref next, out _);
            _input = _input.Slice(next);
        }
    }
}
