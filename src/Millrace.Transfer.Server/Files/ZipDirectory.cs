using System.IO.Compression;

namespace Millrace.Transfer.Server;

/// <summary>
/// The central directory of a zip file (APPNOTE.TXT, 4.3.12), which is written last. Names that follow each other have much in
/// common, so its records are compressed to a quarter.
/// </summary>
internal sealed class ZipDirectory
{
    public const ushort Version = 20;
    public const ushort Version64 = 45;


    /// <summary>The extra field with numbers of 64 bits.</summary>
    public const ushort Zip64 = 1;

    /// <summary>Made on Unix, so that readers apply the mode.</summary>
    private const ushort MadeBy = (3 << 8) | Version64;

    private const uint RegularFile = 0x81A4u << 16; // -rw-r--r--

    /// <summary>Bytes of a record without its name.</summary>
    private const int RecordBytes = 46 + 28;

    private const int BlockBytes = 64 * 1024;
    private const int Quality = 1;
    private const int WindowBits = 16;

    /// <summary>The first time that a zip file can have, and the last.</summary>
    private static readonly DateTime Earliest = new(1980, 1, 1, 0, 0, 0, DateTimeKind.Utc);
    private static readonly DateTime Latest = new(2107, 12, 31, 23, 59, 58, DateTimeKind.Utc);

    private readonly List<byte[]> _blocks = [];
    private byte[] _block = new byte[1024];
    private int _length;
    private long _count;

    /// <summary>Bytes of memory that the records take.</summary>
    public long MemoryBytes => _block.Length + _blocks.Sum(static block => (long)block.Length);

    /// <summary>Date and time as a zip file has them, to two seconds.</summary>
    public static uint TimeOf(DateTimeOffset modified)
    {
        DateTime time = modified.UtcDateTime < Earliest ? Earliest : modified.UtcDateTime > Latest ? Latest : modified.UtcDateTime;
        return ((uint)(time.Year - 1980) << 25)
            | (uint)((time.Month << 21) | (time.Day << 16) | (time.Hour << 11) | (time.Minute << 5) | (time.Second / 2));
    }

    public void Add(in ZipEntry entry)
    {
        int most = RecordBytes + entry.Name.Length;
        if (_length + most > _block.Length)
        {
            Grow(most);
        }

        // As in a header: sizes and the offset that do not fit into 32 bits are in an extra field, in this order.
        ReadOnlySpan<long> numbers = [entry.Length, entry.Coded, entry.Offset];
        var extra = new ZipRecord(stackalloc byte[24]);
        foreach (long number in numbers)
        {
            if (number >= uint.MaxValue)
            {
                extra.Add((ulong)number);
            }
        }

        int extraBytes = extra.Written.Length;
        var record = new ZipRecord(_block.AsSpan(_length));
        record.Add(0x02014b50u);
        record.Add(MadeBy);
        record.Add(extraBytes > 0 ? Version64 : Version);
        record.Add(entry.Flags);
        record.Add(entry.Method);
        record.Add(entry.Time);
        record.Add(entry.Checksum);
        record.Add((uint)Math.Min(entry.Coded, uint.MaxValue));
        record.Add((uint)Math.Min(entry.Length, uint.MaxValue));
        record.Add((ushort)entry.Name.Length);
        record.Add((ushort)(extraBytes > 0 ? 4 + extraBytes : 0));
        record.Add((ushort)0); // comment
        record.Add((ushort)0); // disk
        record.Add((ushort)0); // internal attributes
        record.Add(RegularFile);
        record.Add((uint)Math.Min(entry.Offset, uint.MaxValue));
        record.Add(entry.Name);
        if (extraBytes > 0)
        {
            record.Add(Zip64);
            record.Add((ushort)extraBytes);
            record.Add(extra.Written);
        }

        _length += record.Written.Length;
        _count++;
    }

    /// <summary>All records, in pieces.</summary>
    public IEnumerable<byte[]> Read()
    {
        foreach (byte[] block in _blocks)
        {
            byte[] records = new byte[BlockBytes];
            yield return BrotliDecoder.TryDecompress(block, records, out int bytes) ? records[..bytes] : throw new InvalidDataException();
        }

        yield return _block[.._length];
    }

    /// <summary>What follows the records (APPNOTE.TXT, 4.3.14 to 4.3.16).</summary>
    public byte[] End(long start, long bytes)
    {
        byte[] memory = new byte[56 + 20 + 22];
        var end = new ZipRecord(memory);
        if (_count >= ushort.MaxValue || start >= uint.MaxValue || bytes >= uint.MaxValue)
        {
            end.Add(0x06064b50u);
            end.Add(44UL); // bytes that follow
            end.Add(MadeBy);
            end.Add(Version64);
            end.Add(0u); // this disk
            end.Add(0u); // that of the directory
            end.Add((ulong)_count);
            end.Add((ulong)_count);
            end.Add((ulong)bytes);
            end.Add((ulong)start);
            end.Add(0x07064b50u);
            end.Add(0u); // the disk of the last record
            end.Add((ulong)(start + bytes));
            end.Add(1u); // disks
        }

        end.Add(0x06054b50u);
        end.Add((ushort)0); // this disk
        end.Add((ushort)0); // that of the directory
        end.Add((ushort)Math.Min(_count, ushort.MaxValue));
        end.Add((ushort)Math.Min(_count, ushort.MaxValue));
        end.Add((uint)Math.Min(bytes, uint.MaxValue));
        end.Add((uint)Math.Min(start, uint.MaxValue));
        end.Add((ushort)0); // comment
        return end.Written.ToArray();
    }

    private void Grow(int bytes)
    {
        if (_length + bytes <= BlockBytes)
        {
            Array.Resize(ref _block, Math.Min(BlockBytes, Math.Max(_length + bytes, _block.Length * 2)));
            return;
        }

        byte[] packed = new byte[BrotliEncoder.GetMaxCompressedLength(_length)];
        _blocks.Add(BrotliEncoder.TryCompress(_block.AsSpan(0, _length), packed, out int length, Quality, WindowBits)
            ? packed[..length]
            : throw new InvalidDataException());
        _length = 0;
    }
}
