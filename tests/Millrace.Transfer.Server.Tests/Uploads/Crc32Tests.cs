using System.IO.Compression;
using System.Text;

namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class Crc32Tests
{
    [Theory]
    [InlineData("", 0x00000000u)]
    [InlineData("a", 0xE8B7BE43u)]
    [InlineData("123456789", 0xCBF43926u)]
    [InlineData("The quick brown fox jumps over the lazy dog", 0x414FA339u)]
    public void Known_values_are_computed(string text, uint expected) =>
        Assert.Equal(expected, Crc32.Of(Encoding.ASCII.GetBytes(text)));

    [Fact]
    public void Every_length_and_every_cut_gives_what_bit_by_bit_division_gives()
    {
        byte[] bytes = UploadServer.Bytes(700);
        for (int length = 0; length <= bytes.Length; length++)
        {
            ReadOnlySpan<byte> content = bytes.AsSpan(0, length);
            uint expected = BitByBit(content);
            Assert.Equal(expected, Crc32.Of(content));
            Assert.Equal(expected, ~Crc32.Update(~0u, content));
            Crc32 parts = default;
            parts.Append(content[..(length / 3)]);
            parts.Append(content[(length / 3)..]);
            Assert.Equal(expected, parts.Value);
        }
    }

    [Fact]
    public void A_large_block_has_the_checksum_that_gzip_writes()
    {
        byte[] bytes = UploadServer.Bytes(3_000_001);
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            gzip.Write(bytes);
        }

        // RFC 1952: the last eight bytes are the CRC-32 and the length, lowest byte first.
        uint expected = BitConverter.ToUInt32(packed.ToArray().AsSpan()[^8..]);
        Assert.Equal(expected, Crc32.Of(bytes));
    }

    private static uint BitByBit(ReadOnlySpan<byte> content)
    {
        uint state = ~0u;
        foreach (byte b in content)
        {
            state ^= b;
            for (int bit = 0; bit < 8; bit++)
            {
                state = (state & 1) != 0 ? (state >> 1) ^ 0xEDB88320 : state >> 1;
            }
        }

        return ~state;
    }
}
