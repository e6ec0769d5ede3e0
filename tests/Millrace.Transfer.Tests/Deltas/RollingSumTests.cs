namespace Millrace.Transfer.Tests.Deltas;

public sealed class RollingSumTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(15)]
    [InlineData(16)]
    [InlineData(31)]
    [InlineData(33)]
    [InlineData(1024)]
    [InlineData(4 * 1024 * 1024)]
    public void Vectors_and_single_bytes_give_the_same_sum(int bytes)
    {
        byte[] block = new byte[bytes];
        new Random(bytes).NextBytes(block);
        Assert.Equal(RollingSum.OfRest(block), RollingSum.Of(block));
        block.AsSpan().Fill(0xFF);
        Assert.Equal(RollingSum.OfRest(block), RollingSum.Of(block));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(700)]
    [InlineData(131_072)]
    public void Rolled_sum_is_that_of_the_block_there(int blockBytes)
    {
        byte[] content = new byte[blockBytes + 2000];
        new Random(blockBytes).NextBytes(content);
        content.AsSpan(500, 500).Fill(0xFF);
        uint sum = RollingSum.Of(content.AsSpan(0, blockBytes));
        for (int at = 0; at < 2000; at++)
        {
            sum = RollingSum.Roll(sum, content[at], content[at + blockBytes], (uint)blockBytes);
            Assert.Equal(RollingSum.Of(content.AsSpan(at + 1, blockBytes)), sum);
        }
    }
}
