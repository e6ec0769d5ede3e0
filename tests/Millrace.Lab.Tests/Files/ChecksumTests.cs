using System.Buffers.Binary;

namespace Millrace.Lab.Tests.Files;

public sealed class ChecksumTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(8)]
    [InlineData(9)]
    [InlineData(1000)]
    [InlineData(4096)]
    [InlineData(4099)]
    public void Sum_does_not_depend_on_how_bytes_are_split(int length)
    {
        byte[] bytes = Content.Random(length, length);
        long expected = Naive(bytes);
        foreach (int piece in new[] { 1, 2, 3, 5, 7, 8, 11, 13, 64, 100, 4096 })
        {
            var checksum = default(Checksum);
            for (int at = 0; at < length; at += piece)
            {
                checksum.Add(bytes.AsSpan(at, Math.Min(piece, length - at)));
            }

            Assert.Equal(expected, checksum.Sum);
            Assert.Equal(length, checksum.Bytes);
        }
    }

    [Fact]
    public void Every_byte_counts()
    {
        byte[] bytes = new byte[203];
        var zeros = default(Checksum);
        zeros.Add(bytes);
        for (int i = 0; i < bytes.Length; i++)
        {
            bytes[i] = 1;
            var changed = default(Checksum);
            changed.Add(bytes);
            Assert.NotEqual(zeros.Sum, changed.Sum);
            bytes[i] = 0;
        }
    }

    [Fact]
    public void Empty_pieces_change_nothing()
    {
        var checksum = default(Checksum);
        checksum.Add([1, 2, 3]);
        checksum.Add([]);
        checksum.Add([4]);
        Assert.Equal(0x04030201, checksum.Sum);
    }

    [Fact]
    public void Values_stay_where_they_are_in_the_file_when_reading_begins_within_one()
    {
        byte[] bytes = Content.Random(64, 3);
        foreach (int offset in new[] { 0, 1, 5, 7, 8, 13 })
        {
            byte[] zeroed = [.. bytes];
            zeroed.AsSpan(0, offset).Clear();
            var sum = Checksum.From(offset);
            sum.Add(bytes.AsSpan(offset, 9));
            sum.Add(bytes.AsSpan(offset + 9));
            Assert.Equal((Naive(zeroed), 64 - offset), (sum.Sum, sum.Bytes));
        }
    }

    private static long Naive(byte[] bytes)
    {
        byte[] padded = new byte[(bytes.Length + 7) / 8 * 8];
        bytes.CopyTo(padded, 0);
        long sum = 0;
        for (int i = 0; i < padded.Length; i += 8)
        {
            sum = unchecked(sum + BinaryPrimitives.ReadInt64LittleEndian(padded.AsSpan(i)));
        }

        return sum;
    }
}
