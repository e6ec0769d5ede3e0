using System.Buffers;
using System.Buffers.Text;
using System.Runtime.CompilerServices;

namespace Millrace.Transfer;

/// <summary>Decodes base64, which may be padded at any group of four characters and go on after that.</summary>
/// <remarks>Servers pad each frame, or each write ("gRPC-Web", section Protocol differences). Reads take three bytes or more.</remarks>
/// <param name="text">The text; stays open.</param>
internal sealed class Base64Stream(Stream text) : ReadOnlyStream
{
    private const int InputBytes = 64 * 1024;
    private const int GroupCharacters = 4;
    private const int GroupBytes = 3;

    private readonly byte[] _input = ArrayPool<byte>.Shared.Rent(InputBytes);
    private int _start;
    private int _end;
    private bool _isDisposed;

    /// <exception cref="GrpcFault">The text is not base64.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (true)
        {
            int bytes = Decode(buffer.Span);
            if (bytes > 0)
            {
                return bytes;
            }

            // Less than a group is left.
            _input.AsSpan(_start, _end - _start).CopyTo(_input);
            (_start, _end) = (0, _end - _start);
            int read = await text.ReadAsync(_input.AsMemory(_end), cancellationToken).ConfigureAwait(false);
            if (read == 0)
            {
                return _end == 0 ? 0 : throw Malformed();
            }

            _end += WithoutBreaks(_input.AsSpan(_end, read));
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (!_isDisposed)
        {
            _isDisposed = true;
            ArrayPool<byte>.Shared.Return(_input);
        }

        base.Dispose(disposing);
    }

    private static GrpcFault Malformed() => new(GrpcStatus.Internal, "The body is not base64, although its media type is.");

    private int Decode(Span<byte> buffer)
    {
        int bytes = 0;
        while (true)
        {
            // It stops in front of padding.
            Base64.DecodeFromUtf8(_input.AsSpan(_start, _end - _start), buffer[bytes..], out int consumed, out int written, isFinalBlock: false);
            _start += consumed;
            bytes += written;
            if (_end - _start < GroupCharacters || buffer.Length - bytes < GroupBytes)
            {
                return bytes;
            }

            if (Base64.DecodeFromUtf8(_input.AsSpan(_start, GroupCharacters), buffer[bytes..], out _, out written) != OperationStatus.Done)
            {
                throw Malformed();
            }

            _start += GroupCharacters;
            bytes += written;
        }
    }

    /// <summary>Removes the ends of lines, which may be anywhere, also within a group.</summary>
    /// <returns>How many characters are left.</returns>
    private static int WithoutBreaks(Span<byte> text)
    {
        int kept = text.IndexOfAny((byte)'\r', (byte)'\n');
        for (int i = kept; i >= 0 && i < text.Length; i++)
        {
            if (text[i] is not ((byte)'\r' or (byte)'\n'))
            {
                text[kept++] = text[i];
            }
        }

        return kept < 0 ? text.Length : kept;
    }
}
