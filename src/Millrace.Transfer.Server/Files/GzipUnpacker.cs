using System.Buffers;
using System.IO.Compression;

namespace Millrace.Transfer.Server;

/// <summary>
/// Decompresses a body in gzip, and throws <see cref="InvalidDataException"/> unless it is whole. The framework's stream takes a
/// body that ends early for whole, so a member of our own is appended: only a body that ends where gzip ends lets it be read,
/// as the last bytes of the output.
/// </summary>
/// <remarks>
/// The framework has a switch for this, <c>System.IO.Compression.UseStrictValidation</c>. It is for the whole process, so an
/// application may set it and a library may not.
/// </remarks>
internal sealed class GzipUnpacker : ReadOnlyStream
{
    private const int BufferBytes = 64 * 1024;
    private const int MarkerBytes = 16;

    /// <summary>Random, so that no file ends with it.</summary>
    private static readonly byte[] Marker = RandomNumberGenerator.GetBytes(MarkerBytes);
    private static readonly byte[] MarkerMember = Compress(Marker);

    private readonly GZipStream _unpacked;
    private readonly byte[] _buffer = ArrayPool<byte>.Shared.Rent(BufferBytes);
    private int _start;
    private int _end;
    private bool _isDisposed;

    public GzipUnpacker(Stream protocol) =>
        _unpacked = new GZipStream(new WithMember(protocol), CompressionMode.Decompress, leaveOpen: true);

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (_end - _start <= MarkerBytes)
        {
            // The last bytes may be the marker, and are held back.
            _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
            _end -= _start;
            _start = 0;
            int read = await _unpacked.ReadAsync(_buffer.AsMemory(_end), cancellationToken);
            _end += read;
            if (read == 0)
            {
                return _buffer.AsSpan(0, _end).SequenceEqual(Marker)
                    ? 0
                    : throw new InvalidDataException("The bytes end before gzip does, or continue after it.");
            }
        }

        int count = Math.Min(buffer.Length, _end - _start - MarkerBytes);
        _buffer.AsMemory(_start, count).CopyTo(buffer);
        _start += count;
        return count;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing && !_isDisposed)
        {
            _isDisposed = true;
            _unpacked.Dispose();
            ArrayPool<byte>.Shared.Return(_buffer);
        }

        base.Dispose(disposing);
    }

    private static byte[] Compress(byte[] content)
    {
        using var all = new MemoryStream();
        using (var stream = new GZipStream(all, CompressionLevel.Fastest, leaveOpen: true))
        {
            stream.Write(content);
        }

        return all.ToArray();
    }

    /// <summary>The body, then the member; without a byte of a body there is nothing, which is not gzip either.</summary>
    private sealed class WithMember(Stream protocol) : ReadOnlyStream
    {
        private bool _hasBody;
        private bool _hasEnded;
        private int _sent;

        public override async ValueTask<int> ReadAsync(
            Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (!_hasEnded)
            {
                int read = await protocol.ReadAsync(buffer, cancellationToken);
                _hasBody |= read > 0;
                if (read > 0)
                {
                    return read;
                }

                _hasEnded = true;
            }

            int count = _hasBody ? Math.Min(buffer.Length, MarkerMember.Length - _sent) : 0;
            MarkerMember.AsMemory(_sent, count).CopyTo(buffer);
            _sent += count;
            return count;
        }
    }
}
