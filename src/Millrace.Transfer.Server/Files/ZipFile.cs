using System.Buffers;
using System.IO.Compression;
using System.IO.Hashing;
using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>
/// A zip file that is written forwards only (APPNOTE.TXT 6.3, pkware.com/appnote), in the form that most readers take from a pipe: the
/// header has the checksum and the sizes of a file that is short, or whose store keeps the checksum. Another file is read only once, so its
/// checksum follows it, and it is coded as deflate, which shows its end, though it may not be compressed: readers that get the archive
/// from a pipe do not take descriptors of other entries.
/// </summary>
/// <remarks>Keeps about 25 bytes a file until the end: <see cref="ZipDirectory"/>.</remarks>
internal sealed class ZipFile(BodyStream body) : IArchiveWriter
{
    /// <summary>Bytes that are coded, and then sent if there are enough: the most of a block of deflate that is not compressed.</summary>
    private const int PieceBytes = ushort.MaxValue;

    /// <summary>Bytes of a file up to which it is read, and compressed, before its header is written.</summary>
    private const int MaxWholeBytes = 64 * 1024;

    private const int BlockHeaderBytes = 5;

    private readonly ZipDirectory _directory = new();
    private readonly CountingStream _output = new(body);

    /// <summary>A short file, and the same compressed.</summary>
    private byte[] _whole = [];
    private readonly MemoryStream _packed = new();

    public async ValueTask AddAsync(string path, StoredFileReader reader, CancellationToken cancellationToken)
    {
        StoredFile file = reader.File;
        bool compress = MediaType.IsCompressible(MediaType.Of(file.Name));
        if (file.Length == 0)
        {
            AddWhole(path, ReadOnlyMemory<byte>.Empty, file.Modified.ToDateTimeOffset(), compress);
        }
        else
        {
            PipeReader content = reader.Read(new ByteRange(0, file.Length));
            try
            {
                if (file.Length <= MaxWholeBytes)
                {
                    AddWhole(path, await ReadAsync(content, file, cancellationToken), file.Modified.ToDateTimeOffset(), compress);
                }
                else
                {
                    await AddAsync(path, content, file, compress && HasCertainSizes(file.Length), reader.Crc32, cancellationToken);
                }
            }
            finally
            {
                await content.CompleteAsync();
            }
        }

        await _output.FlushAsync(cancellationToken);
    }

    public async ValueTask AddTextAsync(string path, string text, CancellationToken cancellationToken)
    {
        AddWhole(path, Encoding.UTF8.GetBytes(text), DateTimeOffset.UtcNow, compress: true);
        await _output.FlushAsync(cancellationToken);
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

    /// <summary>
    /// Whether it is certain, before a file is compressed, that both of its sizes fit into 32 bits or that its length does not. Java
    /// before 21 expects sizes of 64 bits after an entry if, and only if, one of them needs these; others go by the header.
    /// </summary>
    /// <remarks>Bytes become up to an eighth more at the fastest level.</remarks>
    private static bool HasCertainSizes(long length) => length > uint.MaxValue || length + (length >> 3) + BlockHeaderBytes < uint.MaxValue;

    private async ValueTask<ReadOnlyMemory<byte>> ReadAsync(PipeReader content, StoredFile file, CancellationToken cancellationToken)
    {
        if (_whole.Length < file.Length)
        {
            _whole = new byte[Math.Min(MaxWholeBytes, 2 * file.Length)];
        }

        int received = 0;
        ReadResult result;
        do
        {
            result = await content.ReadAsync(cancellationToken);
            if (result.Buffer.Length > file.Length - received)
            {
                throw Errors.Changed(file.Name);
            }

            result.Buffer.CopyTo(_whole.AsSpan(received));
            received += (int)result.Buffer.Length;
            content.AdvanceTo(result.Buffer.End);
        }
        while (!result.IsCompleted);
        return received == file.Length ? _whole.AsMemory(0, received) : throw Errors.Changed(file.Name);
    }

    /// <summary>Adds a file that is in memory, compressed if that makes it shorter.</summary>
    private void AddWhole(string path, ReadOnlyMemory<byte> content, DateTimeOffset modified, bool compress)
    {
        ReadOnlySpan<byte> coded = content.Span;
        ushort method = ZipEntry.Store;
        if (compress && content.Length > 0)
        {
            _packed.SetLength(0);
            using (var deflate = new DeflateStream(_packed, CompressionLevel.Fastest, leaveOpen: true))
            {
                deflate.Write(content.Span);
            }

            if (_packed.Length < content.Length)
            {
                coded = _packed.GetBuffer().AsSpan(0, (int)_packed.Length);
                method = ZipEntry.Deflate;
            }
        }

        var entry = new ZipEntry(
            Encoding.UTF8.GetBytes(path), ZipDirectory.TimeOf(modified), method, HasDescriptor: false, Crc32.HashToUInt32(content.Span),
            coded.Length, content.Length, _output.Position);
        WriteHeader(entry);
        _output.Write(coded);
        _directory.Add(entry);
    }

    /// <summary>Adds a file that is sent while it is read.</summary>
    /// <param name="path">Its path.</param>
    /// <param name="content">All its bytes.</param>
    /// <param name="file">The file; not empty.</param>
    /// <param name="compress">Whether to compress it.</param>
    /// <param name="checksum">The checksum that its store keeps, if it does.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    private async ValueTask AddAsync(
        string path, PipeReader content, StoredFile file, bool compress, uint? checksum, CancellationToken cancellationToken)
    {
        bool isStored = !compress && checksum is not null;
        long blocks = ((file.Length - 1) / PieceBytes) + 1;
        var entry = new ZipEntry(
            Encoding.UTF8.GetBytes(path), ZipDirectory.TimeOf(file.Modified.ToDateTimeOffset()), isStored ? ZipEntry.Store : ZipEntry.Deflate,
            HasDescriptor: !isStored, isStored ? checksum!.Value : 0,
            compress ? 0 : file.Length + (isStored ? 0 : blocks * BlockHeaderBytes), file.Length, _output.Position);
        WriteHeader(entry);
        long start = _output.Position;
        var hash = new Crc32();
        long left = file.Length;
        await using (DeflateStream? deflate = compress ? new DeflateStream(_output, CompressionLevel.Fastest, leaveOpen: true) : null)
        {
            int room = 0;
            ReadResult result;
            do
            {
                result = await content.ReadAsync(cancellationToken);
                if (result.Buffer.Length > left)
                {
                    throw Errors.Changed(file.Name);
                }

                foreach (ReadOnlyMemory<byte> segment in result.Buffer)
                {
                    for (ReadOnlyMemory<byte> rest = segment; !rest.IsEmpty;)
                    {
                        if (room == 0)
                        {
                            room = (int)Math.Min(PieceBytes, left);
                            if (!compress && !isStored)
                            {
                                WriteBlockHeader(room, isLast: room == left);
                            }
                        }

                        ReadOnlyMemory<byte> piece = rest[..Math.Min(room, rest.Length)];
                        rest = rest[piece.Length..];
                        room -= piece.Length;
                        left -= piece.Length;
                        hash.Append(piece.Span);
                        ((Stream?)deflate ?? _output).Write(piece.Span);
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

        uint computed = hash.GetCurrentHashAsUInt32();
        if (left > 0 || (isStored && computed != checksum))
        {
            throw Errors.Changed(file.Name);
        }

        entry = entry with { Checksum = computed, Coded = _output.Position - start };
        if (entry.HasDescriptor)
        {
            WriteDescriptor(entry);
        }

        _directory.Add(entry);
    }

    /// <summary>A local file header (APPNOTE.TXT, 4.3.7).</summary>
    private void WriteHeader(in ZipEntry entry)
    {
        var header = new ZipRecord(stackalloc byte[30]);
        header.Add(0x04034b50u);
        header.Add(entry.IsLarge ? ZipDirectory.Version64 : ZipDirectory.Version);
        header.Add(entry.Flags);
        header.Add(entry.Method);
        header.Add(entry.Time);
        header.Add(entry.Checksum);

        // One size of an entry that is compressed while it is sent is not known, and a header has both or none.
        long length = entry.Coded == 0 ? 0 : entry.Length;
        header.Add(entry.IsLarge ? uint.MaxValue : (uint)entry.Coded);
        header.Add(entry.IsLarge ? uint.MaxValue : (uint)length);
        header.Add((ushort)entry.Name.Length);
        header.Add((ushort)(entry.IsLarge ? 20 : 0));
        _output.Write(header.Written);
        _output.Write(entry.Name);
        if (entry.IsLarge)
        {
            var extra = new ZipRecord(stackalloc byte[20]);
            extra.Add(ZipDirectory.Zip64);
            extra.Add((ushort)16);
            extra.Add((ulong)length);
            extra.Add((ulong)entry.Coded);
            _output.Write(extra.Written);
        }
    }

    /// <summary>The header of a block of deflate that is not compressed (RFC 1951, section 3.2.4).</summary>
    private void WriteBlockHeader(int bytes, bool isLast)
    {
        var block = new ZipRecord(stackalloc byte[BlockHeaderBytes]);
        block.Add((byte)(isLast ? 1 : 0));
        block.Add((ushort)bytes);
        block.Add((ushort)(ushort.MaxValue - bytes));
        _output.Write(block.Written);
    }

    /// <summary>A data descriptor (APPNOTE.TXT, 4.3.9), with sizes as long as the header announced.</summary>
    private void WriteDescriptor(in ZipEntry entry)
    {
        var descriptor = new ZipRecord(stackalloc byte[24]);
        descriptor.Add(0x08074b50u);
        descriptor.Add(entry.Checksum);
        if (entry.IsLarge)
        {
            descriptor.Add((ulong)entry.Coded);
            descriptor.Add((ulong)entry.Length);
        }
        else
        {
            descriptor.Add((uint)entry.Coded);
            descriptor.Add((uint)entry.Length);
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
