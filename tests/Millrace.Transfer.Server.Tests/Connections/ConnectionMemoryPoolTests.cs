using System.Buffers;

namespace Millrace.Transfer.Server.Tests.Connections;

public sealed class ConnectionMemoryPoolTests
{
    [Theory]
    [InlineData(-1, ConnectionMemoryPool.SmallBytes)]
    [InlineData(1, ConnectionMemoryPool.SmallBytes)]
    [InlineData(4096, ConnectionMemoryPool.SmallBytes)]
    [InlineData(65_536, ConnectionMemoryPool.SmallBytes)]
    [InlineData(65_537, ConnectionMemoryPool.LargeBytes)]
    [InlineData(262_144, ConnectionMemoryPool.LargeBytes)]
    public void A_wish_is_met_by_the_smaller_block_that_is_large_enough(int wish, int expected)
    {
        using var pool = new ConnectionMemoryPool();
        using IMemoryOwner<byte> block = pool.Rent(wish);
        Assert.Equal(expected, block.Memory.Length);
        block.Memory.Span.Fill(1);
    }

    [Fact]
    public void More_than_a_large_block_is_refused()
    {
        using var pool = new ConnectionMemoryPool();
        Assert.Throws<ArgumentOutOfRangeException>(() => pool.Rent(ConnectionMemoryPool.LargeBytes + 1));
    }

    [Fact]
    public void A_block_that_was_given_back_is_lent_again_without_allocating()
    {
        using var pool = new ConnectionMemoryPool();
        for (int i = 0; i < 10; i++)
        {
            pool.Rent().Dispose();
        }

        long before = GC.GetAllocatedBytesForCurrentThread();
        IMemoryOwner<byte> block = pool.Rent();
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        block.Dispose();
    }

    [Fact]
    public void A_block_that_is_given_back_twice_is_not_lent_to_two()
    {
        using var pool = new ConnectionMemoryPool();
        IMemoryOwner<byte> block = pool.Rent();
        block.Dispose();
        block.Dispose();
        using IMemoryOwner<byte> one = pool.Rent();
        using IMemoryOwner<byte> other = pool.Rent();
        Assert.NotSame(one, other);
    }

    [Fact]
    public void Only_so_much_is_kept()
    {
        using var pool = new ConnectionMemoryPool();
        var blocks = new List<IMemoryOwner<byte>>();
        for (int i = 0; i < 300; i++)
        {
            blocks.Add(pool.Rent(ConnectionMemoryPool.LargeBytes));
        }

        blocks.ForEach(block => block.Dispose());
        Assert.Equal(ConnectionMemoryPool.KeptBytes, pool.FreeBytes);
    }

    [Fact]
    public void What_comes_back_after_the_end_is_freed()
    {
        var pool = new ConnectionMemoryPool();
        IMemoryOwner<byte> block = pool.Rent();
        pool.Rent().Dispose();
        pool.Dispose();
        block.Dispose();
        Assert.Equal(0, pool.FreeBytes);
        Assert.Throws<ObjectDisposedException>(() => pool.Rent());
    }

    [Fact]
    public void Blocks_that_nobody_needed_between_two_trims_are_dropped()
    {
        using var pool = new ConnectionMemoryPool();
        IMemoryOwner<byte>[] blocks = [pool.Rent(), pool.Rent(), pool.Rent()];
        Array.ForEach(blocks, block => block.Dispose());
        pool.Trim();
        Assert.Equal(3 * ConnectionMemoryPool.SmallBytes, pool.FreeBytes);

        pool.Rent().Dispose();
        pool.Trim();
        Assert.Equal(ConnectionMemoryPool.SmallBytes, pool.FreeBytes);
        pool.Trim();
        Assert.Equal(0, pool.FreeBytes);
    }

    [Fact]
    public void Ports_share_a_pool_until_the_last_one_has_ended()
    {
        var pool = new ConnectionMemoryPool();
        var factory = new ConnectionMemoryPool.Factory(pool);
        MemoryPool<byte> one = factory.Create();
        MemoryPool<byte> other = factory.Create();
        Assert.Same(one, other);
        one.Dispose();
        pool.Dispose();
        other.Rent().Dispose();
        other.Dispose();
        Assert.Throws<ObjectDisposedException>(() => other.Rent());
    }
}
