using System.Buffers;
using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Connections;

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
        using var pool = new BlockPool(Timeout.InfiniteTimeSpan);
        Block block = pool.RentBlock(1);
        block.Dispose();
        pool.Trim();
        Assert.Same(block, pool.RentBlock(1));
        block.Dispose();
        pool.Trim();
        pool.Trim();
        Assert.NotSame(block, pool.RentBlock(1));
    }

    [Fact]
    public void Block_that_came_back_is_rented_without_allocating()
    {
        using var pool = new BlockPool(Timeout.InfiniteTimeSpan);
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
    public void Meter_counts_what_is_dropped_beyond_the_kept_bytes_and_by_trimming()
    {
        using var pool = new BlockPool(Timeout.InfiniteTimeSpan);
        var dropped = new ConcurrentQueue<long>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument is { Meter.Name: MillraceSockets.DiagnosticsName, Name: "millrace.kestrel.memory.dropped" })
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((_, bytes, _, _) => dropped.Enqueue(bytes));
        listener.Start();
        const int Bytes = 256 * 1024;
        Block[] blocks = [.. Enumerable.Range(0, (BlockPool.KeptBytes / Bytes) + 3).Select(_ => pool.RentBlock(Bytes))];
        Array.ForEach(blocks, static block => block.Dispose());
        Assert.True(dropped.Count(static bytes => bytes == Bytes) >= 3);
        pool.Trim();
        pool.Trim();
        Assert.Contains(BlockPool.KeptBytes, dropped);
    }

    [Fact]
    public void Applications_share_one_pool_of_blocks_of_64_KiB_or_more()
    {
        using ServiceProvider services = new ServiceCollection().AddMillraceMemory().AddMillraceMemory().BuildServiceProvider();
        IMemoryPoolFactory<byte> factory = services.GetRequiredService<IMemoryPoolFactory<byte>>();
        MemoryPool<byte> one = factory.Create();
        one.Dispose();
        using IMemoryOwner<byte> small = factory.Create().Rent(4096);
        using IMemoryOwner<byte> large = one.Rent(65_537);
        Assert.Equal((64 * 1024, 256 * 1024), (small.Memory.Length, large.Memory.Length));
        Assert.Equal((64 + 256) * 1024, services.GetRequiredService<BlockPool>().RentedBytes);
        Assert.Throws<ArgumentOutOfRangeException>(() => one.Rent((256 * 1024) + 1));
    }
}
