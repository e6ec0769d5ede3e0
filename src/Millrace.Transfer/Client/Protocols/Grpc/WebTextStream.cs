using System.Buffers;
using System.Buffers.Text;

namespace Millrace.Transfer;

/// <summary>Writes the text form of gRPC-Web: base64 without a seam, padded once, by <see cref="FinishAsync"/>.</summary>
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

    /// <summary>Writes what is left of the last group.</summary>
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
