using System.Buffers;
using System.Buffers.Binary;
using System.Numerics;

namespace WriteAheadLog;

/// <summary>Length and CRC32C of the payload, 4 bytes each, little-endian, then the payload.</summary>
internal static class LogRecord
{
    private const int HeaderBytes = 8;

    public static void Write(IBufferWriter<byte> log, ReadOnlySpan<byte> payload)
    {
        Span<byte> record = log.GetSpan(HeaderBytes + payload.Length);
        BinaryPrimitives.WriteInt32LittleEndian(record, payload.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(record[4..], Checksum(payload));
        payload.CopyTo(record[HeaderBytes..]);
        log.Advance(HeaderBytes + payload.Length);
    }

    /// <summary>Takes the first record off; false when it is incomplete or damaged.</summary>
    public static bool TryRead(ref ReadOnlySequence<byte> bytes, out byte[] payload)
    {
        payload = [];
        var reader = new SequenceReader<byte>(bytes);

        // No record is empty: zeroes, which a power failure can leave at the end, would be a valid one.
        if (!reader.TryReadLittleEndian(out int length) || !reader.TryReadLittleEndian(out int checksum)
            || length <= 0 || reader.Remaining < length)
        {
            return false;
        }

        payload = bytes.Slice(reader.Position, length).ToArray();
        if (Checksum(payload) != (uint)checksum)
        {
            return false;
        }

        bytes = bytes.Slice(bytes.GetPosition(length, reader.Position));
        return true;
    }

    private static uint Checksum(ReadOnlySpan<byte> payload)
    {
        uint crc = uint.MaxValue;
        foreach (byte value in payload)
        {
            crc = BitOperations.Crc32C(crc, value);
        }

        return ~crc;
    }
}
