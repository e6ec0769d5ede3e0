using System.Buffers;
using System.Runtime.CompilerServices;
using Google.Protobuf;

namespace Millrace.Transfer;

/// <summary>Makes chunks of a file's blocks on their way to the connection.</summary>
/// <remarks>
/// The source's own block goes out, but for what shares a frame of HTTP/2 with a header: HttpClient hands
/// every frame to another thread, and a header alone would be one. Compressed messages are made two at a time.
/// </remarks>
internal sealed class ChunkStream : WriteOnlyStream
{
    /// <summary>Default of a chunk's bytes.</summary>
    /// <remarks>A source's block: larger ones save nothing, as a header is some ten bytes.</remarks>
    public const int DefaultBytes = 256 * 1024;

    /// <summary>A file's bytes in one compressed message at most: half a source's block.</summary>
    private const int PackedBytes = DefaultBytes / 2;

    /// <summary>From how many bytes on two threads compress sooner than one.</summary>
    private const int WorthTwo = 32 * 1024;

    /// <summary>What goes out with one write, where it is copied: the payload of a frame of HTTP/2.</summary>
    private const int GatheredBytes = 16 * 1024;

    private readonly Stream _destination;
    private readonly int _most;
    private readonly IMemoryOwner<byte>? _packed;
    private byte[] _gathered = ArrayPool<byte>.Shared.Rent(GatheredBytes);
    private int _gatheredBytes;
    private long? _left;
    private int _chunkLeft;

    /// <summary>Begins a stream of chunks.</summary>
    /// <param name="destination">Takes the frames; stays open.</param>
    /// <param name="count">Bytes of the file that follow; null where unknown.</param>
    /// <param name="options">How chunks are made.</param>
    public ChunkStream(Stream destination, long? count, TransferClientOptions options)
    {
        _destination = destination;
        _left = count;
        _most = options.ChunkBytes ?? DefaultBytes;
        _packed = options.Compression == TransferCompression.Gzip
            ? AlignedMemoryPool.Shared.Rent(2 * ChunkPacker.RoomFor(PackedBytes)) : null;
    }

    /// <summary>Writes another message than one of a file's bytes.</summary>
    public async ValueTask WriteAsync(IMessage message, CancellationToken cancellationToken)
    {
        byte[] frame = GrpcMessages.Frame(message);
        if (_gatheredBytes + frame.Length > GatheredBytes)
        {
            await SendGatheredAsync(cancellationToken).ConfigureAwait(false);
        }

        if (frame.Length > GatheredBytes)
        {
            await _destination.WriteAsync(frame, cancellationToken).ConfigureAwait(false);
        }
        else
        {
            Gather(frame);
        }
    }

    /// <summary>A file's bytes.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (!buffer.IsEmpty)
        {
            if (_packed is not null)
            {
                ReadOnlyMemory<byte> two = buffer[..Math.Min(buffer.Length, 2 * Math.Min(_most, PackedBytes))];
                await SendPackedAsync(two, _packed.Memory, cancellationToken).ConfigureAwait(false);
                buffer = buffer[two.Length..];
                _left -= two.Length;
                continue;
            }

            bool begins = _chunkLeft == 0;
            if (begins)
            {
                _chunkLeft = (int)Math.Min(_most, _left ?? buffer.Length);
            }

            ReadOnlyMemory<byte> bytes = buffer[..Math.Min(buffer.Length, _chunkLeft)];
            await WriteChunkAsync(bytes, begins, cancellationToken).ConfigureAwait(false);
            buffer = buffer[bytes.Length..];
            _left -= bytes.Length;
        }
    }

    /// <exception cref="TransferException"><see cref="TransferError.Changed"/>: fewer than declared.</exception>
    public void ThrowIfShort()
    {
        if (_left > 0)
        {
            throw new TransferException(
                TransferError.Changed, $"The content ended {_left} bytes early. Nothing was published; upload it again.");
        }
    }

    /// <summary>Sends what waits.</summary>
    public ValueTask SendGatheredAsync(CancellationToken cancellationToken)
    {
        if (_gatheredBytes == 0)
        {
            return default;
        }

        ReadOnlyMemory<byte> gathered = _gathered.AsMemory(0, _gatheredBytes);
        _gatheredBytes = 0;
        return _destination.WriteAsync(gathered, cancellationToken);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing && _gathered.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_gathered);
            _gathered = [];
            _packed?.Dispose();
        }

        base.Dispose(disposing);
    }

    private async ValueTask WriteChunkAsync(ReadOnlyMemory<byte> bytes, bool begins, CancellationToken cancellationToken)
    {
        if (begins)
        {
            if (_gatheredBytes + ChunkHeader.MaxBytes > GatheredBytes)
            {
                await SendGatheredAsync(cancellationToken).ConfigureAwait(false);
            }

            int header = ChunkHeader.BytesFor(_chunkLeft);
            ChunkHeader.Write(_gathered.AsSpan(_gatheredBytes, header), _chunkLeft);
            _gatheredBytes += header;
        }

        _chunkLeft -= bytes.Length;
        if (_gatheredBytes > 0)
        {
            int fill = Math.Min(bytes.Length, GatheredBytes - _gatheredBytes);
            Gather(bytes.Span[..fill]);
            bytes = bytes[fill..];
            if (_gatheredBytes == GatheredBytes)
            {
                await SendGatheredAsync(cancellationToken).ConfigureAwait(false);
            }
        }

        int whole = bytes.Length - (bytes.Length % GatheredBytes);
        if (whole > 0)
        {
            await _destination.WriteAsync(bytes[..whole], cancellationToken).ConfigureAwait(false);
        }

        Gather(bytes.Span[whole..]);
    }

    /// <summary>Sends one message in gzip, or two that are made at the same time.</summary>
    private async ValueTask SendPackedAsync(ReadOnlyMemory<byte> bytes, Memory<byte> frames, CancellationToken cancellationToken)
    {
        int first = bytes.Length > Math.Min(_most, PackedBytes) || (bytes.Length >= WorthTwo && Environment.ProcessorCount > 1)
            ? (bytes.Length + 1) / 2
            : bytes.Length;
        Memory<byte> behind = frames[ChunkPacker.RoomFor(first)..];
        Task<int> other = first == bytes.Length
            ? Task.FromResult(0)
            : Task.Run(() => ChunkPacker.Write(new ReadOnlySequence<byte>(bytes[first..]), behind), CancellationToken.None);
        int frame;
        try
        {
            frame = ChunkPacker.Write(new ReadOnlySequence<byte>(bytes[..first]), frames);
        }
        finally
        {
            // The source's block is its until then.
            await other.ConfigureAwait(false);
        }

        await SendGatheredAsync(cancellationToken).ConfigureAwait(false);
        await _destination.WriteAsync(frames[..frame], cancellationToken).ConfigureAwait(false);
        int last = await other.ConfigureAwait(false);
        await _destination.WriteAsync(behind[..last], cancellationToken).ConfigureAwait(false);
    }

    private void Gather(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_gathered.AsSpan(_gatheredBytes));
        _gatheredBytes += bytes.Length;
    }
}
