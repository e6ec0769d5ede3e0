using System.IO.Hashing;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>The checksum of zip files, against that of System.IO.Hashing.</summary>
public sealed class FoldedChecksumTests
{
    [Fact]
    public void Check_value_is_that_of_the_catalogue() => Assert.Equal(0xCBF4_3926, Of("123456789"u8));

    [Fact]
    public void Every_length_around_a_block_has_the_right_checksum()
    {
        byte[] content = Content.Of(1200);
        for (int length = 0; length <= content.Length; length++)
        {
            Assert.Equal(Crc32.HashToUInt32(content.AsSpan(0, length)), Of(content.AsSpan(0, length)));
        }
    }

    [Fact]
    public void Pieces_have_the_checksum_of_the_whole()
    {
        byte[] content = Content.Of(300_001);
        var random = new Random(7);
        for (int round = 0; round < 200; round++)
        {
            var checksum = new FoldedChecksum();
            for (int at = 0; at < content.Length;)
            {
                int piece = Math.Min(content.Length - at, random.Next(3) == 0 ? random.Next(70_000) : random.Next(600));
                checksum.Append(content.AsSpan(at, piece));
                at += piece;
            }

            Assert.Equal(Crc32.HashToUInt32(content), checksum.Value);
        }
    }

    private static uint Of(ReadOnlySpan<byte> bytes)
    {
        var checksum = new FoldedChecksum();
        checksum.Append(bytes);
        return checksum.Value;
    }
}
