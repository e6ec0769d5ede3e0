using System.Buffers.Binary;

namespace Millrace.Transfer.Server;

/// <summary>
/// CRC-32 of IEEE 802.3 (reflected polynomial EDB88320), as zip, PNG and tus have it: by carry-less multiplication where the
/// processor has it, and eight bytes at a time by tables elsewhere.
/// </summary>
internal struct Crc32
{
    private const uint Polynomial = 0xEDB88320;

    /// <summary>Eight tables of 256: how a byte counts that is followed by 0 to 7 others.</summary>
    private static readonly uint[] Tables = MakeTables();

    private uint _inverted;

    /// <summary>The checksum of what was appended.</summary>
    public readonly uint Value => _inverted;

    /// <summary>The checksum of some bytes.</summary>
    public static uint Of(ReadOnlySpan<byte> content)
    {
        Crc32 crc = default;
        crc.Append(content);
        return crc.Value;
    }

    /// <summary>Goes on with more bytes.</summary>
    public void Append(ReadOnlySpan<byte> content)
    {
        uint state = ~_inverted;
        if (Crc32Folding.IsSupported && content.Length >= Crc32Folding.MinBytes)
        {
            state = Crc32Folding.Update(state, ref content);
        }

        _inverted = ~Update(state, content);
    }

    /// <summary>By tables: what every processor can, and what is left over by the other way.</summary>
    public static uint Update(uint state, ReadOnlySpan<byte> content)
    {
        uint[] tables = Tables;
        while (content.Length >= 8)
        {
            ulong word = BinaryPrimitives.ReadUInt64LittleEndian(content) ^ state;
            state = tables[(7 * 256) + (int)(word & 0xFF)]
                ^ tables[(6 * 256) + (int)((word >> 8) & 0xFF)]
                ^ tables[(5 * 256) + (int)((word >> 16) & 0xFF)]
                ^ tables[(4 * 256) + (int)((word >> 24) & 0xFF)]
                ^ tables[(3 * 256) + (int)((word >> 32) & 0xFF)]
                ^ tables[(2 * 256) + (int)((word >> 40) & 0xFF)]
                ^ tables[256 + (int)((word >> 48) & 0xFF)]
                ^ tables[(int)(word >> 56)];
            content = content[8..];
        }

        foreach (byte b in content)
        {
            state = (state >> 8) ^ tables[(int)((state ^ b) & 0xFF)];
        }

        return state;
    }

    private static uint[] MakeTables()
    {
        uint[] tables = new uint[8 * 256];
        for (uint i = 0; i < 256; i++)
        {
            uint state = i;
            for (int bit = 0; bit < 8; bit++)
            {
                state = (state & 1) != 0 ? (state >> 1) ^ Polynomial : state >> 1;
            }

            tables[i] = state;
        }

        for (int i = 256; i < tables.Length; i++)
        {
            uint before = tables[i - 256];
            tables[i] = (before >> 8) ^ tables[before & 0xFF];
        }

        return tables;
    }
}
