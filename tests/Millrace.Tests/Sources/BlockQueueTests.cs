using Millrace.Buffers;
using Millrace.Sources;
using Millrace.Tests.Infrastructure;

namespace Millrace.Tests.Sources;

/// <summary>The queue between a file and its reader, without any reading.</summary>
public sealed class BlockQueueTests
{
    private const int Size = BlockPool.BodyBytes;

    [Fact]
    public void Blocks_are_taken_in_file_order_whichever_is_read_first()
    {
        using var test = new Fixture(blocks: 4);
        Block[] claimed = [test.Claim(), test.Claim(), test.Claim()];
        test.Finish(claimed[2]);
        test.Finish(claimed[1]);
        Assert.Null(test.Queue.TryTake(out QueueState state));
        Assert.Equal(QueueState.Reading, state);

        test.Finish(claimed[0]);

        Assert.Equal([0, Size, 2 * Size], Enumerable.Range(0, 3).Select(_ => test.Queue.TryTake(out QueueState _)!.FileOffset));
        Assert.Null(test.Queue.TryTake(out state));
        Assert.Equal(QueueState.Empty, state);
    }

    [Fact]
    public void No_more_blocks_are_claimed_than_the_depth()
    {
        using var test = new Fixture(blocks: 10, depth: 3);
        for (int i = 0; i < 3; i++)
        {
            test.Claim();
        }

        Assert.Null(test.Queue.TryClaim());
    }

    [Fact]
    public void Reads_left_behind_by_a_seek_count_towards_the_depth()
    {
        using var test = new Fixture(blocks: 10, depth: 2);
        Block first = test.Claim();
        test.Claim();
        test.Queue.Seek(5 * Size);
        Assert.Null(test.Queue.TryClaim());

        test.Finish(first);

        Assert.Equal(5 * Size, test.Claim().FileOffset);
    }

    [Fact]
    public void Past_the_known_size_one_block_is_claimed_at_a_time()
    {
        using var test = new Fixture(blocks: 1);
        Block known = test.Claim();
        Assert.Null(test.Queue.TryClaim());
        test.Finish(known);
        Assert.Same(known, test.Queue.TryTake(out _));

        test.Claim();

        Assert.Null(test.Queue.TryClaim());
    }

    [Fact]
    public void Callback_is_called_once_when_the_first_block_is_read()
    {
        using var test = new Fixture(blocks: 4);
        var ready = new Callback();
        Block first = test.Claim();
        Block second = test.Claim();
        Assert.True(test.Queue.Arm(ready));

        test.Finish(second);
        Assert.Equal(0, ready.Calls);
        test.Finish(first);
        Assert.Equal(1, ready.Calls);
        Assert.False(test.Queue.Arm(ready));
    }

    [Fact]
    public void Disarmed_callback_is_not_called()
    {
        using var test = new Fixture(blocks: 4);
        var ready = new Callback();
        Block first = test.Claim();
        Assert.True(test.Queue.Arm(ready));
        test.Queue.Disarm();

        test.Finish(first);

        Assert.Equal(0, ready.Calls);
    }

    [Fact]
    public void Block_that_has_to_wait_is_given_to_a_worker()
    {
        using var test = new Fixture(blocks: 4);
        Block block = test.Claim();
        test.Queue.Finish(block, complete: false);
        Assert.True(test.Queue.HasWorker);

        Assert.Same(block, test.Queue.TakeWork(ReadAhead.Never));
        Assert.Null(test.Queue.TakeWork(ReadAhead.Never));
        Assert.False(test.Queue.HasWorker);
    }

    [Fact]
    public void Worker_reads_ahead_only_if_asked_or_awaited()
    {
        using var test = new Fixture(blocks: 4);
        test.Queue.StartWorker();
        Assert.Null(test.Queue.TakeWork(ReadAhead.WhenAwaited));

        Assert.True(test.Queue.Arm(new Callback()));
        test.Queue.StartWorker();
        Assert.Equal(0, test.Queue.TakeWork(ReadAhead.WhenAwaited)!.FileOffset);
        test.Queue.Disarm();
        Assert.Null(test.Queue.TakeWork(ReadAhead.WhenAwaited));

        test.Queue.StartWorker();
        Assert.Equal(Size, test.Queue.TakeWork(ReadAhead.Always)!.FileOffset);
    }

    [Fact]
    public void Rest_of_a_block_read_in_place_is_claimed_again()
    {
        using var test = new Fixture(blocks: 4);
        Assert.Equal(ReadStep.ReadInPlace, test.Next(out Block? block));
        block!.Filled = 4096;
        test.Queue.FinishInPlace(block, complete: false);

        Assert.Equal(4096, test.Claim().FileOffset);
    }

    [Fact]
    public void Block_read_in_place_and_its_rest_are_within_the_depth()
    {
        using var pool = new CountingPool();
        using var test = new Fixture(blocks: 10, depth: 3, pool);
        Block own = test.Claim();
        test.Finish(own);
        Assert.Same(own, test.Queue.TryTake(out _));
        Assert.Equal(ReadStep.ReadInPlace, test.Queue.Next(own, helps: true, reads: true, ahead: false, out Block? block));
        while (test.Queue.TryClaim() is not null)
        {
        }

        block!.Filled = 4096;
        test.Queue.FinishInPlace(block, complete: false);

        Assert.Equal(1 + 3, pool.Outstanding);
        test.Queue.Recycle(block);
    }

    [Fact]
    public void Block_that_is_delivered_and_the_one_it_replaces_are_within_the_depth()
    {
        using var pool = new CountingPool();
        using var test = new Fixture(blocks: 10, depth: 3, pool);
        Window window = default;
        for (int i = 0; i < 2; i++)
        {
            test.Finish(test.Claim());
            Assert.Equal(ReadStep.Deliver, test.Queue.Next(null, helps: false, reads: false, ahead: false, out Block? block));
            if (i > 0)
            {
                while (test.Queue.TryClaim() is not null)
                {
                }

                Assert.Equal(1 + 3, pool.Outstanding);
            }

            window.Start = window.End;
            Assert.Equal(FillResult.Filled, test.Queue.Deliver(ref window, block!));
        }

        Assert.NotNull(test.Queue.TryClaim());
        test.Queue.Recycle(window.Block!);
    }

    [Fact]
    public void Later_block_is_claimed_while_blocks_are_queued()
    {
        using var test = new Fixture(blocks: 4);
        test.Claim();

        Assert.Equal(ReadStep.ReadLater, test.Next(out Block? later));
        Assert.Equal(Size, later!.FileOffset);
        Assert.Equal(ReadStep.Wait, test.Queue.Next(own: null, helps: false, reads: true, ahead: false, out _));
    }

    [Fact]
    public void Error_is_thrown_after_the_bytes_before_it_and_once()
    {
        using var test = new Fixture(blocks: 4);
        var window = default(Window);
        Block block = test.Claim();
        block.Filled = 100;
        block.Error = new FilePipeException(FilePipeError.ReadFailed, "The disk failed.", "file", 100);
        test.Queue.Finish(block);

        Assert.Equal(FillResult.Filled, test.Queue.Deliver(ref window, test.Queue.TryTake(out _)!));
        Assert.Equal(100, window.Length);
        Assert.Null(test.Queue.TryTake(out QueueState state));
        Assert.Equal(QueueState.Stopped, state);
        Assert.Throws<FilePipeException>(() => test.Queue.EndOrThrow());
        Assert.Equal(100, test.Claim().FileOffset);
        test.Queue.Recycle(window.Block!);
    }

    [Fact]
    public void Nothing_is_claimed_after_the_last_block()
    {
        using var test = new Fixture(blocks: 4);
        Block block = test.Claim();
        block.Last = true;
        test.Finish(block);
        Assert.NotNull(test.Queue.TryTake(out _));

        Assert.Null(test.Queue.TryClaim());
        Assert.Equal(FillResult.EndOfFile, test.Queue.EndOrThrow());
    }

    [Fact]
    public void Seek_orphans_blocks_that_are_being_read()
    {
        using var test = new Fixture(blocks: 4);
        Block block = test.Claim();
        test.Queue.Seek(2 * Size);
        test.Finish(block);

        Assert.Null(test.Queue.TryTake(out QueueState state));
        Assert.Equal(QueueState.Empty, state);
        Assert.Equal(2 * Size, test.Claim().FileOffset);
    }

    [Fact]
    public void Handle_is_closed_with_the_last_read()
    {
        using var test = new Fixture(blocks: 4);
        Block block = test.Claim();
        test.Queue.Dispose();
        Assert.False(test.Handle.IsDisposed);

        test.Finish(block);

        Assert.True(test.Handle.IsDisposed);
    }

    [Fact]
    public void Restart_claims_from_the_first_block_again()
    {
        using var test = new Fixture(blocks: 4);
        test.Finish(test.Claim());
        Assert.NotNull(test.Queue.TryTake(out _));
        test.Claim();
        test.Claim();

        test.Queue.Restart(lostReads: 2);

        Assert.Equal(Size, test.Claim().FileOffset);
        Assert.True(test.Queue.HasWorker);
    }

    [Fact]
    public void Failure_of_the_pool_reaches_the_reader_and_ends_the_worker()
    {
        using var test = new Fixture(blocks: 4, pool: new FailingPool(rentals: 0));
        var ready = new Callback();
        Assert.True(test.Queue.Arm(ready));
        test.Queue.StartWorker();

        Assert.Null(test.Queue.TakeWork(ReadAhead.Always));

        Assert.False(test.Queue.HasWorker);
        Assert.Equal(1, ready.Calls);
        Assert.Equal(FilePipeError.Failed, Assert.Throws<FilePipeException>(() => test.Queue.EndOrThrow()).Error);
    }

    [Fact]
    public async Task Waiting_thread_continues_when_the_first_block_is_read()
    {
        using var test = new Fixture(blocks: 4);
        Block block = test.Claim();
        Task waiting = Task.Run(test.Queue.WaitForHead);
        Assert.False(waiting.IsCompleted);

        test.Finish(block);

        await waiting.Soon();
        Assert.Same(block, test.Queue.TryTake(out _));
    }

    private sealed class Fixture : IDisposable, IThreadPoolWorkItem
    {
        private readonly OpenFile _file;

        public Fixture(int blocks, int depth = 4, System.Buffers.MemoryPool<byte>? pool = null)
        {
            _file = OpenFile.Open(TestFolder.NewFile(blocks * Size), default);
            Queue = new BlockQueue(_file, new BlockAllocator(pool), this) { Depth = depth, Handle = Handle };
        }

        public BlockQueue Queue { get; }

        public Closing Handle { get; } = new();

        public Block Claim() => Queue.TryClaim() ?? throw new InvalidOperationException("Nothing could be claimed.");

        public ReadStep Next(out Block? block) => Queue.Next(own: null, helps: true, reads: true, ahead: false, out block);

        public void Finish(Block block)
        {
            block.Filled = block.Wanted;
            Queue.Finish(block);
        }

        public void Execute()
        {
            // The tests take the work themselves.
        }

        public void Dispose()
        {
            Queue.Dispose();
            _file.Dispose();
        }
    }

    private sealed class Closing : IDisposable
    {
        public bool IsDisposed { get; private set; }

        public void Dispose() => IsDisposed = true;
    }

    private sealed class Callback : IReadyCallback
    {
        public int Calls { get; private set; }

        public void OnReady(int ticket = 0, bool mayRunHere = false) => Calls++;
    }
}
