using System.Buffers;
using System.IO.Compression;
using System.IO.Hashing;
using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>
/// A zip file that is written forwards only (APPNOTE.TXT 6.3, pkware.com/appnote): a checksum is known after a file's bytes only, so it
/// and the sizes follow them, and every entry is coded as deflate, which shows its end, though some are not compressed. An entry that
/// may exceed 4 GiB has a flag for it in its header, without which a reader does not know how long the numbers are that follow.
/// </summary>
/// <remarks>Keeps about 25 bytes a file until the end: <see cref="ZipDirectory"/>.</remarks>
internal sealed class ZipFile(BodyStream body) : IArchiveWriter
{
    /// <summary>Bytes that are coded, and then sent if there are enough: the most of a block of deflate that is not compressed.</summary>
    private const int PieceBytes = ushort.MaxValue;

    private readonly ZipDirectory _directory = new();
    private readonly CountingStream _output = new(body);

    public async ValueTask AddAsync(string path, StoredFileReader reader, CancellationToken cancellationToken)
    {
        StoredFile file = reader.File;
        PipeReader content = file.Length == 0 ? PipeReader.Create(ReadOnlySequence<byte>.Empty) : reader.Read(new ByteRange(0, file.Length));
        try
        {
            await AddAsync(
                path, content, file.Length, file.Modified, MediaType.IsCompressible(MediaType.Of(file.Name)), cancellationToken);
        }
        finally
        {
            await content.CompleteAsync();
        }
    }

    public ValueTask AddTextAsync(string path, string text, CancellationToken cancellationToken)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        return AddAsync(
            path, PipeReader.Create(new ReadOnlySequence<byte>(bytes)), bytes.Length, DateTimeOffset.UtcNow, compress: true, cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        long start = _output.Position;
        foreach (byte[] records in _directory.Read())
        {
            _output.Write(records);
            await _output.FlushAsync(CancellationToken.None);
        }

        _output.Write(_directory.End(start, _output.Position - start));
    }

    private async ValueTask AddAsync(
        string path, PipeReader content, long length, DateTimeOffset modified, bool compress, CancellationToken cancellationToken)
    {
        // As deflate, bytes become up to an eighth more at the fastest level, and hardly more without compression.
        bool isLarge = length >= uint.MaxValue - (length >> (compress ? 3 : 12));
        long offset = _output.Position;
        byte[] name = Encoding.UTF8.GetBytes(path);
        uint time = ZipDirectory.TimeOf(modified);
        WriteHeader(name, time, isLarge);
        long start = _output.Position;
        var hash = new Crc32();
        long received = 0;
        await using (DeflateStream? deflate = compress ? new DeflateStream(_output, CompressionLevel.Fastest, leaveOpen: true) : null)
        {
            ReadResult result;
            do
            {
                result = await content.ReadAsync(cancellationToken);
                foreach (ReadOnlyMemory<byte> segment in result.Buffer)
                {
                    for (int at = 0; at < segment.Length; at += PieceBytes)
                    {
                        ReadOnlyMemory<byte> piece = segment.Slice(at, Math.Min(PieceBytes, segment.Length - at));
                        hash.Append(piece.Span);
                        received += piece.Length;
                        if (deflate is null)
                        {
                            WriteBlock(piece.Span, isLast: false);
                        }
                        else
                        {
                            deflate.Write(piece.Span);
                        }

                        if (_output.Unflushed >= PieceBytes)
                        {
                            await _output.FlushAsync(cancellationToken);
                        }
                    }
                }

                content.AdvanceTo(result.Buffer.End);
            }
            while (!result.IsCompleted);
        }

        if (!compress || received == 0)
        {
            // Of no bytes at all, DeflateStream makes no block.
            WriteBlock([], isLast: true);
        }

        long coded = _output.Position - start;
        uint checksum = hash.GetCurrentHashAsUInt32();
        WriteDescriptor(checksum, coded, received, isLarge);
        _directory.Add(name, time, checksum, coded, received, offset);
        await _output.FlushAsync(cancellationToken);
    }

    /// <summary>A local file header (APPNOTE.TXT, 4.3.7).</summary>
    private void WriteHeader(byte[] name, uint time, bool isLarge)
    {
        var header = new ZipRecord(stackalloc byte[30]);
        header.Add(0x04034b50u);
        header.Add(isLarge ? ZipDirectory.Version64 : ZipDirectory.Version);
        header.Add(ZipDirectory.Flags);
        header.Add(ZipDirectory.Deflate);
        header.Add(time);
        header.Add(0u);
        header.Add(isLarge ? uint.MaxValue : 0u);
        header.Add(isLarge ? uint.MaxValue : 0u);
        header.Add((ushort)name.Length);
        header.Add((ushort)(isLarge ? 20 : 0));
        _output.Write(header.Written);
        _output.Write(name);
        if (isLarge)
        {
            var extra = new ZipRecord(stackalloc byte[20]);
            extra.Add(ZipDirectory.Zip64);
            extra.Add((ushort)16);
            extra.Add(0UL);
            extra.Add(0UL);
            _output.Write(extra.Written);
        }
    }

    /// <summary>A block of deflate that is not compressed (RFC 1951, section 3.2.4).</summary>
    private void WriteBlock(ReadOnlySpan<byte> bytes, bool isLast)
    {
        var block = new ZipRecord(stackalloc byte[5]);
        block.Add((byte)(isLast ? 1 : 0));
        block.Add((ushort)bytes.Length);
        block.Add((ushort)(ushort.MaxValue - bytes.Length));
        _output.Write(block.Written);
        _output.Write(bytes);
    }

    /// <summary>A data descriptor (APPNOTE.TXT, 4.3.9).</summary>
    private void WriteDescriptor(uint checksum, long coded, long length, bool isLarge)
    {
        var descriptor = new ZipRecord(stackalloc byte[24]);
        descriptor.Add(0x08074b50u);
        descriptor.Add(checksum);
        if (isLarge)
        {
            descriptor.Add((ulong)coded);
            descriptor.Add((ulong)length);
        }
        else
        {
            descriptor.Add((uint)coded);
            descriptor.Add((uint)length);
        }

        _output.Write(descriptor.Written);
    }

    /// <summary>Knows its position, and buffers writes until it is flushed, as the compressor writes little at a time.</summary>
    private sealed class CountingStream(BodyStream body) : WriteOnlyStream
    {
        public override long Position { get; set; }

        public int Unflushed { get; private set; }

        public override void Write(ReadOnlySpan<byte> buffer)
        {
            body.Write(buffer);
            Position += buffer.Length;
            Unflushed += buffer.Length;
        }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Write(buffer.Span);
            return default;
        }

        public override Task FlushAsync(CancellationToken cancellationToken)
        {
            Unflushed = 0;
            return body.FlushAsync(cancellationToken);
        }
    }
}
