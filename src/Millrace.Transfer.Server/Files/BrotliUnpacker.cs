using System.Buffers;
using System.IO.Compression;

namespace Millrace.Transfer.Server;

/// <summary>
/// The unpacked bytes of a brotli body. The framework's stream accepts a body that ends early, and ignores bytes
/// after its end; this one throws <see cref="InvalidDataException"/> for both.
/// </summary>
internal sealed class BrotliUnpacker(Stream protocol) : ReadOnlyStream
{
    private const int InputBytes = 64 * 1024;

    private readonly byte[] _input = ArrayPool<byte>.Shared.Rent(InputBytes);
    private BrotliDecoder _decoder;
    private int _start;
    private int _end;
    private bool _isDone;
    private bool _isDisposed;

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (!_isDone && !buffer.IsEmpty)
        {
            OperationStatus status = _decoder.Decompress(
                _input.AsSpan(_start, _end - _start), buffer.Span, out int consumed, out int written);
            _start += consumed;
            if (status == OperationStatus.InvalidData)
            {
                throw new InvalidDataException("The bytes are not brotli.");
            }

            if (status == OperationStatus.Done)
            {
                await EndAsync(cancellationToken);
            }
            else if (status == OperationStatus.NeedMoreData && written == 0
                && !await FillAsync(cancellationToken))
            {
                throw new InvalidDataException("The bytes end before brotli does.");
            }

            if (written > 0)
            {
                return written;
            }
        }

        return 0;
    }

    private async ValueTask EndAsync(CancellationToken cancellationToken)
    {
        if (_start < _end || await FillAsync(cancellationToken))
        {
            throw new InvalidDataException("Bytes follow the end of the brotli stream.");
        }

        _isDone = true;
    }

    private async ValueTask<bool> FillAsync(CancellationToken cancellationToken)
    {
        // The decoder reports that it needs more only when it has taken all.
        _start = 0;
        _end = await protocol.ReadAsync(_input, cancellationToken);
        return _end > 0;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing && !_isDisposed)
        {
            _isDisposed = true;
            _decoder.Dispose();
            ArrayPool<byte>.Shared.Return(_input);
        }

        base.Dispose(disposing);
    }
}
