using System.Buffers;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server.Tests.Connections;

public sealed class BufferLimitTests : IDisposable
{
    private const int Block = 64 * 1024;
    private const int Limit = 64 * Block;

    private readonly ServiceProvider _services = new ServiceCollection().AddMillraceMemory().BuildServiceProvider();
    private readonly MemoryPool<byte> _pool;
    private readonly BufferLimit _limit;

    public BufferLimitTests()
    {
        _pool = _services.GetRequiredService<IMemoryPoolFactory<byte>>().Create();
        _limit = new BufferLimit(Limit, _pool, NullLogger.Instance);
    }

    public void Dispose() => _services.Dispose();

    [Fact]
    public async Task Connection_that_holds_the_most_is_aborted_and_no_other_one()
    {
        Held small = Open(blocks: 10);
        Held large = Open(blocks: 30);
        Held last = Open(blocks: 24);
        Assert.DoesNotContain(true, new[] { small, large, last }.Select(each => each.Memory.IsAborted));

        last.Rent();
        await large.Aborted.Soon();
        Assert.Contains($"{65 * Block} bytes", large.Reason, StringComparison.Ordinal);

        // It has given nothing back yet, and the others may take as much as it holds.
        last.Rent(29);
        Assert.Equal((false, false), (small.Memory.IsAborted, last.Memory.IsAborted));
        last.Rent();
        await last.Aborted.Soon();
        Assert.False(small.Memory.IsAborted);
    }

    [Fact]
    public async Task Memory_that_aborted_connections_keep_counts_towards_twice_the_limit()
    {
        for (int i = 0; i < 2; i++)
        {
            Held stuck = Open(blocks: 63);
            stuck.Rent(2);
            await stuck.Aborted.Soon();
        }

        Held next = Open(blocks: BufferLimit.FairBytes / Block);
        Assert.False(next.Memory.IsAborted);
        next.Rent();
        await next.Aborted.Soon();
    }

    [Fact]
    public void Connections_with_a_fair_share_are_never_aborted()
    {
        Held[] all = [.. Enumerable.Range(0, 20).Select(_ => Open(BufferLimit.FairBytes / Block))];
        Assert.True(_limit.HeldBytes > 2 * Limit);
        Assert.DoesNotContain(all, each => each.Memory.IsAborted);
    }

    [Fact]
    public void Closed_connection_no_longer_counts_whatever_it_gives_back()
    {
        Held closed = Open(blocks: 60);
        _limit.Close(closed.Memory);
        Assert.Equal(0, _limit.HeldBytes);
        closed.Return();
        closed.Rent();
        Assert.Equal(0, _limit.HeldBytes);

        Held other = Open(blocks: 60);
        Assert.Equal((60 * Block, false), (_limit.HeldBytes, other.Memory.IsAborted));
    }

    [Fact]
    public async Task Counts_are_exact_while_connections_come_take_give_back_and_are_aborted()
    {
        await Task.WhenAll(Enumerable.Range(0, 8).Select(seed => Task.Run(() =>
        {
            var random = new Random(seed);
            for (int round = 0; round < 200; round++)
            {
                Held held = Open(random.Next(30));
                held.Return(random.Next(held.Blocks.Count));
                if (random.Next(2) == 0)
                {
                    held.Return(held.Blocks.Count);
                }

                _limit.Close(held.Memory);
                held.Return(held.Blocks.Count);
            }
        })));
        Assert.Equal(0, _limit.HeldBytes);

        // Aborted connections have left nothing either.
        Held last = Open(blocks: 64);
        Assert.False(last.Memory.IsAborted);
        last.Rent();
        await last.Aborted.Soon();
    }

    [Fact]
    public void Counting_allocates_nothing()
    {
        Held held = Open(blocks: 1);
        held.Memory.Rent().Dispose();
        long before = GC.GetAllocatedBytesForCurrentThread();
        held.Memory.Rent().Dispose();
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    private Held Open(int blocks)
    {
        var held = new Held(_limit, _pool);
        held.Rent(blocks);
        return held;
    }

    /// <summary>A connection and the blocks that it holds.</summary>
    private sealed class Held : DefaultConnectionContext
    {
        private readonly TaskCompletionSource<ConnectionAbortedException> _aborted = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Held(BufferLimit limit, MemoryPool<byte> pool)
        {
            Memory = new ConnectionMemory(limit, pool, this);
            limit.Open(Memory);
        }

        public ConnectionMemory Memory { get; }

        public Stack<IMemoryOwner<byte>> Blocks { get; } = new();

        public Task Aborted => _aborted.Task;

        public string Reason => _aborted.Task.Result.Message;

        public override void Abort(ConnectionAbortedException abortReason) => _aborted.SetResult(abortReason);

        public void Rent(int count = 1)
        {
            for (int i = 0; i < count; i++)
            {
                Blocks.Push(Memory.Rent());
            }
        }

        public void Return(int count = 1)
        {
            for (int i = 0; i < count; i++)
            {
                Blocks.Pop().Dispose();
            }
        }
    }
}
