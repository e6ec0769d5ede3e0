namespace Millrace.Kestrel.Tests;

public sealed class BlockPoolTests
{
    [Theory]
    [InlineData(-1, 4096)]
    [InlineData(0, 4096)]
    [InlineData(4096, 4096)]
    [InlineData(4097, 16384)]
    [InlineData(16384, 16384)]
    [InlineData(16385, 65536)]
    [InlineData(65537, 262144)]
    [InlineData(262144, 262144)]
    [InlineData(262145, 262145)]
    public void Rented_block_has_the_smallest_size_that_fits(int asked, int bytes)
    {
        using var pool = new BlockPool();
        using Block block = pool.RentBlock(asked);
        Assert.Equal(bytes, block.Memory.Length);
        Assert.Equal(bytes, pool.RentedBytes);
    }

    [Fact]
    public void Block_that_is_disposed_twice_is_rented_once()
    {
        using var pool = new BlockPool();
        Block block = pool.RentBlock(1);
        block.Dispose();
        block.Dispose();
        Assert.Equal(0, pool.RentedBytes);
        Assert.NotSame(pool.RentBlock(1), pool.RentBlock(1));
    }

    [Fact]
    public void Trim_drops_blocks_that_nobody_needed_since_the_last_one()
    {
        using var pool = new BlockPool();
        Block block = pool.RentBlock(1);
        block.Dispose();
        pool.Trim();
        Assert.Same(block, pool.RentBlock(1));
        block.Dispose();
        pool.Trim();
        pool.Trim();
        Assert.NotSame(block, pool.RentBlock(1));
    }
}
