using System.Runtime.CompilerServices;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer;

/// <summary>
/// The file in a stream of chunks: a read puts its bytes straight into the reader's memory. Bytes between two
/// chunks are read with the end of the first one and kept aside.
/// </summary>
/// <remarks>Not thread-safe. Owns the call.</remarks>
internal sealed class GrpcBody : ReadOnlyStream, IEndingBody
{
    /// <summary>Bytes that are read after a chunk, so that the next one's header is there already.</summary>
    /// <remarks>A header has at most <see cref="ChunkHeader.MaxBytes"/>; excess bytes are copied once more.</remarks>
    private const int HeaderRoom = 16;

    /// <summary>Below this a read goes through the kept bytes: one call less is worth more than the copy.</summary>
    private const int MinStraight = 512;

    /// <summary>Chunks up to this size are read several at once and copied.</summary>
    private const int SmallChunk = 8 * 1024;

    /// <summary>A reader that has that many bytes does not wait for more.</summary>
    private const int Enough = 4 * 1024;

    private readonly GrpcExchange _exchange;
    private readonly GrpcInput _input;
    private readonly ChunkParser _parser = new(GrpcMessages.MaxBytes);
    private FileVersion? _file;
    private End? _end;
    private bool _inData;
    private bool _isOver;
    private bool _isSmall;
    private long _taken;
    private Exception? _failure;

    // An inflated message, and the part not read yet.
    private HeldMessage _inflated;
    private ReadOnlyMemory<byte> _inflatedLeft;

    public GrpcBody(GrpcExchange exchange, GrpcInput input)
    {
        _exchange = exchange;
        _input = input;
    }

    /// <summary>Bytes that can be parsed without reading from the connection.</summary>
    private ReadOnlyMemory<byte> Ahead => _inflated.IsNone ? _input.Aside : _inflatedLeft;

    /// <summary>Reads the first message: the file's description.</summary>
    public async ValueTask<FileVersion> DescribeAsync()
    {
        while (_file is null)
        {
            if (!await AdvanceAsync(_exchange.Token).ConfigureAwait(false))
            {
                throw Failures.Protocol(_exchange.Call, "the answer has nothing of the file");
            }
        }

        return _file;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        // The call's own token ends with the caller's, and at its deadline.
        cancellationToken = _exchange.Token;
        int filled = 0;
        if (_failure is not null)
        {
            throw _failure;
        }

        try
        {
            while (filled < buffer.Length && !_isOver)
            {
                if (!_inData)
                {
                    if (filled >= Enough && Ahead.IsEmpty)
                    {
                        break;
                    }

                    await AdvanceAsync(cancellationToken).ConfigureAwait(false);
                }
                else if (!Ahead.IsEmpty || !_inflated.IsNone)
                {
                    filled += TakeAhead(buffer.Span[filled..]);
                }
                else if (filled >= Enough)
                {
                    break;
                }
                else
                {
                    filled += await ReadStraightAsync(buffer[filled..], cancellationToken).ConfigureAwait(false);
                }
            }

            return filled;
        }
        catch (Exception exception)
        {
            _failure = exception is TransferException ? exception : _exchange.Translate(exception);
            if (filled == 0)
            {
                throw _failure;
            }

            // Bytes before it need not be requested again.
            return filled;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<Sha256Digest?> FinishAsync()
    {
        if (_failure is not null)
        {
            throw _failure;
        }

        try
        {
            while (!_isOver)
            {
                if (_inData)
                {
                    throw Failures.Protocol(_exchange.Call, "more bytes were received than declared");
                }

                await AdvanceAsync(_exchange.Token).ConfigureAwait(false);
            }

            return _end is { HasSha256: true } end ? GrpcMapping.ToDigest(end.Sha256) : null;
        }
        catch (Exception exception) when (exception is not TransferException)
        {
            throw _exchange.Translate(exception);
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _inflated.Dispose();
            _exchange.Dispose();
        }

        base.Dispose(disposing);
    }

    /// <summary>Goes on to the file's next bytes, or over one message that has none.</summary>
    /// <returns>False at the good end of the answer.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> AdvanceAsync(CancellationToken cancellationToken)
    {
        int ahead = _file is null || _isSmall || _taken == _file.Count ? GrpcInput.AsideBytes : HeaderRoom;
        while (true)
        {
            if (!_inflated.IsNone && _inflatedLeft.IsEmpty)
            {
                EndInflated();
                return true;
            }

            if (_parser.IsBetween && !await _input.HasMessageAsync(ahead, cancellationToken).ConfigureAwait(false))
            {
                TakeEnd();
                return false;
            }

            switch (Parse())
            {
                case ChunkToken.Data:
                    BeginData(_parser.DataLeft);
                    _isSmall = _inflated.IsNone && _parser.DataLeft <= SmallChunk;
                    _inData = true;
                    return true;
                case ChunkToken.End:
                    TakeRest();
                    return true;
                case ChunkToken.Compressed:
                    await InflateAsync(cancellationToken).ConfigureAwait(false);
                    break;
                default:
                    if (_inflated.IsNone && !_parser.IsBetween && !await _input.FillAsync(ahead, cancellationToken).ConfigureAwait(false))
                    {
                        throw _input.Cut();
                    }

                    break;
            }
        }
    }

    private async ValueTask InflateAsync(CancellationToken cancellationToken)
    {
        int bytes = (int)_parser.DataLeft;
        _inflated = await GrpcMessages.ReadCompressedAsync(_input, bytes, cancellationToken).ConfigureAwait(false);
        _inflatedLeft = _inflated.Memory;
        _parser.Take(bytes);
        _parser.BeginOpen();
    }

    private void EndInflated()
    {
        _parser.EndOpen();
        _inflated.Dispose();
        TakeRest();
    }

    private ChunkToken Parse()
    {
        ReadOnlySpan<byte> ahead = Ahead.Span;
        int before = ahead.Length;
        ChunkToken token = _parser.Read(ref ahead);
        Skip(before - ahead.Length);
        return token;
    }

    private int TakeAhead(Span<byte> destination)
    {
        int bytes = (int)Math.Min(Math.Min(Ahead.Length, destination.Length), _parser.DataLeft);
        if (bytes == 0)
        {
            EndInflated();
        }

        Ahead.Span[..bytes].CopyTo(destination);
        Skip(bytes);
        Take(bytes);
        return bytes;
    }

    private void Skip(int bytes)
    {
        if (_inflated.IsNone)
        {
            _input.Skip(bytes);
        }
        else
        {
            _inflatedLeft = _inflatedLeft[bytes..];
        }
    }

    private async ValueTask<int> ReadStraightAsync(Memory<byte> memory, CancellationToken cancellationToken)
    {
        int most = (int)Math.Min(memory.Length, _parser.DataLeft + HeaderRoom);
        if (most < MinStraight)
        {
            return await _input.FillAsync(GrpcInput.AsideBytes, cancellationToken).ConfigureAwait(false) ? 0 : throw _input.Cut();
        }

        int read = await _input.ReadAsync(memory[..most], cancellationToken).ConfigureAwait(false);
        if (read == 0)
        {
            throw _input.Cut();
        }

        int bytes = (int)Math.Min(read, _parser.DataLeft);
        if (read > bytes)
        {
            _input.Keep(memory.Span[bytes..read]);
        }

        Take(bytes);
        return bytes;
    }

    private void Take(int bytes)
    {
        _parser.Take(bytes);
        _taken += bytes;
        _inData = _parser.DataLeft > 0;
    }

    /// <summary>A chunk's bytes follow: looks whether they may.</summary>
    private void BeginData(long bytes)
    {
        if (_file is null)
        {
            throw Failures.Protocol(_exchange.Call, "bytes came before the file's description");
        }

        if (_end is not null || bytes > _file.Count - _taken)
        {
            throw Failures.Protocol(_exchange.Call, $"more bytes were received than the declared {_file.Count}");
        }
    }

    /// <summary>A message has ended: takes its fields besides a file's bytes. Of unknown fields nothing.</summary>
    private void TakeRest()
    {
        if (_parser.Rest.IsEmpty)
        {
            return;
        }

        Chunk chunk = GrpcMessages.Parse(Chunk.Parser, _parser.Rest);
        switch (chunk.ContentCase)
        {
            case Chunk.ContentOneofCase.File when _file is null && chunk.File is { Count: >= 0, Offset: >= 0, Length: >= 0 }:
                _file = chunk.File;
                break;
            case Chunk.ContentOneofCase.End when _file is not null && _end is null:
                _end = chunk.End;
                break;
            case Chunk.ContentOneofCase.None:
                break;
            default:
                throw Failures.Protocol(_exchange.Call, $"a message with '{chunk.ContentCase}' came where none may be");
        }
    }

    private void TakeEnd()
    {
        _isOver = true;
        _input.ThrowUnlessOk();
        if (_end is null && _file is not null)
        {
            throw Failures.Disconnected(_exchange.Call, null, $"the answer ended after {_taken} bytes without an end message");
        }

        if (_file is not null && (_taken != _file.Count || _end!.Length != _taken))
        {
            throw Failures.Protocol(
                _exchange.Call, $"{_taken} bytes were received, {_file.Count} were announced, and the end message has {_end!.Length}");
        }
    }
}
