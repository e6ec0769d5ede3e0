using System.Buffers;
using System.Buffers.Text;
using System.Runtime.CompilerServices;

namespace Millrace.Transfer;

/// <summary>Writes the text form of gRPC-Web: one base64 text, padded only at its end by <see cref="FinishAsync"/>.</summary>
/// <param name="destination">Takes the text; stays open.</param>
internal sealed class WebTextStream(Stream destination) : WriteOnlyStream
{
    private const int PieceBytes = 48 * 1024;
    private const int Group = 3;

    private readonly byte[] _text = ArrayPool<byte>.Shared.Rent(Base64.GetMaxEncodedToUtf8Length(PieceBytes));
    private readonly byte[] _rest = new byte[Group];
    private int _restBytes;
    private bool _disposed;

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (!buffer.IsEmpty)
        {
            int coded = Encode(ref buffer);
            if (coded > 0)
            {
                await destination.WriteAsync(_text.AsMemory(0, coded), cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Writes the last group, with its padding.</summary>
    public async ValueTask FinishAsync(CancellationToken cancellationToken)
    {
        if (_restBytes > 0)
        {
            Base64.EncodeToUtf8(_rest.AsSpan(0, _restBytes), _text, out _, out int written);
            _restBytes = 0;
            await destination.WriteAsync(_text.AsMemory(0, written), cancellationToken).ConfigureAwait(false);
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing && !_disposed)
        {
            _disposed = true;
            ArrayPool<byte>.Shared.Return(_text);
        }

        base.Dispose(disposing);
    }

    /// <summary>Whole groups; one or two bytes wait for the next write.</summary>
    private int Encode(ref ReadOnlyMemory<byte> buffer)
    {
        int coded = 0;
        if (_restBytes > 0)
        {
            int taken = Math.Min(Group - _restBytes, buffer.Length);
            buffer.Span[..taken].CopyTo(_rest.AsSpan(_restBytes));
            buffer = buffer[taken..];
            _restBytes += taken;
            if (_restBytes < Group)
            {
                return 0;
            }

            Base64.EncodeToUtf8(_rest, _text, out _, out coded);
            _restBytes = 0;
        }

        int whole = Math.Min(buffer.Length, PieceBytes - Group) / Group * Group;
        Base64.EncodeToUtf8(buffer.Span[..whole], _text.AsSpan(coded), out _, out int written);
        buffer = buffer[whole..];
        if (buffer.Length < Group)
        {
            buffer.Span.CopyTo(_rest);
            _restBytes = buffer.Length;
            buffer = default;
        }

        return coded + written;
    }
}

/// <summary>
/// Takes base64 out of an answer of gRPC-Web's text form. Padding may come anywhere: servers code each frame, or each write,
/// by itself ("gRPC-Web", section Protocol differences).
/// </summary>
/// <param name="stream">The text; stays open.</param>
internal sealed class WebTextReader(Stream stream) : IDisposable
{
    /// <summary>Bytes of text that are read at once.</summary>
    private const int TextBytes = 64 * 1024;

    private const int Group = 4;
    private const int Decoded = 3;

    private byte[] _text = ArrayPool<byte>.Shared.Rent(TextBytes);
    private int _start;
    private int _end;

    /// <summary>Reads what there is, decoded straight into the memory.</summary>
    /// <param name="memory">Three bytes or more.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>0 at the end.</returns>
    /// <exception cref="GrpcFault">It is no base64.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<int> ReadAsync(Memory<byte> memory, CancellationToken cancellationToken)
    {
        while (_end - _start < Group)
        {
            _text.AsSpan(_start, _end - _start).CopyTo(_text);
            _end -= _start;
            _start = 0;
            int read = await stream.ReadAsync(_text.AsMemory(_end), cancellationToken).ConfigureAwait(false);
            if (read == 0)
            {
                return _end == 0 ? 0 : throw Malformed();
            }

            _end += read;
        }

        return Decode(memory.Span);
    }

    public void Dispose()
    {
        if (_text.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_text);
            _text = [];
        }
    }

    private int Decode(Span<byte> destination)
    {
        int written = 0;
        while (true)
        {
            int groups = Math.Min((_end - _start) / Group, (destination.Length - written) / Decoded);
            if (groups == 0)
            {
                return written;
            }

            ReadOnlySpan<byte> text = _text.AsSpan(_start, groups * Group);
            int padding = text.IndexOf((byte)'=');
            if (padding >= 0)
            {
                // The group with the padding ends a piece; what follows is another one.
                text = text[..(((padding / Group) + 1) * Group)];
            }

            if (Base64.DecodeFromUtf8(text, destination[written..], out int consumed, out int bytes) != OperationStatus.Done
                || consumed != text.Length)
            {
                throw Malformed();
            }

            _start += consumed;
            written += bytes;
        }
    }

    private static GrpcFault Malformed() => new(GrpcStatus.Internal, "The answer is no base64");
}
