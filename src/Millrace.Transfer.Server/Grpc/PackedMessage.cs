using System.Buffers.Binary;
using System.IO.Compression;

namespace Millrace.Transfer.Server;

/// <summary>A message in gzip, unpacked while it comes: a file's bytes straight into the store's memory.</summary>
internal sealed class PackedMessage(MessageReader reader, ChunkParser parser) : IDisposable
{
    /// <summary>Bytes that are unpacked to look for a file's bytes, which are copied when they are among these.</summary>
    private const int LookBytes = 64;

    private readonly byte[] _look = new byte[LookBytes];
    private readonly CompressedBytes _protocol = new(reader);
    private GZipStream? _unpacked;
    private int _at;
    private int _end;
    private uint _bytes;

    /// <summary>Finds a file's bytes in the output.</summary>
    public ChunkParser Parser { get; } = parser;

    /// <summary>Whether all of it has come.</summary>
    public bool IsOver { get; private set; }

    /// <summary>Begins with the message in front of which the reader is.</summary>
    public void Begin()
    {
        Parser.BeginOpen();
        _unpacked = new GZipStream(_protocol, CompressionMode.Decompress, leaveOpen: true);
        (_at, _end, _bytes, IsOver) = (0, 0, 0, false);
        _protocol.HasBytes = false;
    }

    /// <summary>Reads up to a file's bytes or up to the message's end.</summary>
    public async ValueTask<ChunkToken> ReadAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            if (Look() == ChunkToken.Data)
            {
                return ChunkToken.Data;
            }

            (_at, _end) = (0, await UnpackAsync(_look, cancellationToken));
            if (_end == 0)
            {
                End();
                return ChunkToken.End;
            }
        }
    }

    /// <summary>Unpacks a file's bytes into memory that the sink lends.</summary>
    public async ValueTask TakeDataAsync(ChunkSink sink, CancellationToken cancellationToken)
    {
        while (Parser.DataLeft > 0)
        {
            Memory<byte> memory = sink.Lend(Parser.DataLeft);
            int bytes = Math.Min(_end - _at, memory.Length);
            if (bytes > 0)
            {
                _look.AsSpan(_at, bytes).CopyTo(memory.Span);
                _at += bytes;
            }
            else
            {
                bytes = await UnpackAsync(memory, cancellationToken);
                if (bytes == 0)
                {
                    throw new GrpcFault(GrpcStatus.Internal, "A compressed message ends within a field.");
                }
            }

            Parser.Take(bytes);
            await sink.LentAsync(bytes, cancellationToken);
        }
    }

    public void Dispose() => _unpacked?.Dispose();

    private ChunkToken Look()
    {
        ReadOnlySpan<byte> span = _look.AsSpan(_at, Math.Min(_end - _at, LookBytes));
        ChunkToken token = Parser.Read(ref span);
        _at = _end - span.Length;
        return token;
    }

    private async ValueTask<int> UnpackAsync(Memory<byte> memory, CancellationToken cancellationToken)
    {
        int bytes = await _unpacked!.ReadAsync(memory, cancellationToken);
        _bytes += (uint)bytes;
        return bytes;
    }

    /// <summary>The framework accepts bytes that end early; gzip's trailing count reveals it (RFC 1952, 2.3.1).</summary>
    private void End()
    {
        if (reader.PackedLeft > 0 || !_protocol.HasBytes || _protocol.Last != _bytes)
        {
            throw new InvalidDataException("The bytes end before gzip does, or continue after it.");
        }

        Parser.EndOpen();
        IsOver = true;
        _unpacked!.Dispose();
        _unpacked = null;
    }

    /// <summary>The compressed bytes, and the last four of them.</summary>
    private sealed class CompressedBytes(MessageReader reader) : ReadOnlyStream
    {
        private ulong _last;

        /// <summary>Whether anything came: nothing at all is not gzip.</summary>
        public bool HasBytes { get; set; }

        /// <summary>The last four bytes as a number, the least of them first.</summary>
        public uint Last => BinaryPrimitives.ReverseEndianness((uint)_last);

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            int bytes = await reader.ReadPackedAsync(buffer);
            HasBytes |= bytes > 0;
            foreach (byte value in buffer.Span[Math.Max(0, bytes - sizeof(uint))..bytes])
            {
                _last = (_last << 8) | value;
            }

            return bytes;
        }
    }
}
