using System.IO.Pipelines;

namespace Millrace.Tests.FilePipes;

/// <summary>Buffers from the caller's own pool.</summary>
public sealed class PoolTests
{
    private const int Length = 5_000_003;

    [Theory, EveryValue]
    public async Task Everything_rented_is_returned_on_completion(ReadStrategy strategy, bool portable)
    {
        using var pool = new CountingPool();
        FilePipeReader reader = Open(strategy, portable, pool);
        await reader.AssertRestAsync(0, Length);

        await reader.CompleteAsync();

        await pool.AllReturnedAsync().Soon();
    }

    [Theory, EveryValue]
    public async Task Everything_rented_is_returned_when_completed_in_the_middle(ReadStrategy strategy, bool portable)
    {
        using var pool = new CountingPool();
        for (int held = 1; held < 2_000_000; held *= 7)
        {
            FilePipeReader reader = Open(strategy, portable, pool);
            ReadResult result = await reader.HoldAsync(held);
            reader.AdvanceTo(result.Buffer.GetPosition(held / 2), result.Buffer.End);

            await reader.CompleteAsync();

            await pool.AllReturnedAsync().Soon();
        }
    }

    [Theory, EveryValue]
    public async Task Everything_rented_is_returned_after_seeks(ReadStrategy strategy, bool portable)
    {
        using var pool = new CountingPool();
        FilePipeReader reader = Open(strategy, portable, pool);
        for (int offset = 0; offset < Length; offset += 777_777)
        {
            reader.Seek(Length - offset);
            reader.Seek(offset);
            (await reader.HoldAsync(10)).AssertStarts(offset);
        }

        await reader.CompleteAsync();

        await pool.AllReturnedAsync().Soon();
    }

    [NeedsTheory(Need.Native)]
    [InlineData(ReadStrategy.Buffered, 1)]
    [InlineData(ReadStrategy.ReadAhead, 5)]
    public async Task Reader_holds_no_more_blocks_than_documented(ReadStrategy strategy, int blocks)
    {
        // A miss of the page cache, which a machine under load has at any time, makes either strategy read ahead until the cache answers again.
        int most = int.MaxValue;
        for (int tries = 0; tries < 20 && most > blocks; tries++)
        {
            most = await MostHeldAsync(strategy);
        }

        Assert.InRange(most, 1, blocks);
    }

    [Theory, EveryValue]
    public async Task A_pool_of_small_buffers_works(ReadStrategy strategy, bool portable)
    {
        // Its Rent asserts that no more is asked of it.
        using var pool = new CountingPool(maxBufferSize: 4096);
        await using FilePipeReader reader = Open(strategy, portable, pool);

        (await reader.HoldAsync(1_000_000)).AssertStarts(0, 1_000_000);

        await reader.AssertRestAsync(0, Length);
    }

    [Theory, EveryValue]
    public async Task The_shared_pool_works(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable, MemoryPool<byte>.Shared);

        await reader.AssertRestAsync(0, Length);
    }

    [Theory]
    [InlineData(ReadStrategy.Buffered, false)]
    [InlineData(ReadStrategy.ReadAhead, false)]
    [InlineData(ReadStrategy.Buffered, true)]
    [InlineData(ReadStrategy.ReadAhead, true)]
    public async Task An_exception_of_the_pool_fails_a_read_and_the_reader_stays_usable(ReadStrategy strategy, bool portable)
    {
        for (int rentals = 0; rentals < 3; rentals++)
        {
            using var pool = new FailingPool(rentals);
            await using FilePipeReader reader = Open(strategy, portable, pool);
            Exception? exception = await Record.ExceptionAsync(async () =>
            {
                // Holding everything needs more blocks than there are.
                ReadResult result = await reader.ReadAtLeastAsync(Length).Soon();
                Assert.Fail($"{result.Buffer.Length} bytes without a buffer");
            });

            exception = (exception as FilePipeException)?.InnerException ?? exception;
            Assert.Equal(FailingPool.Reason, exception?.Message);
            pool.Refill();

            // The thread that reads ahead may have met the same, which is reported when the reader gets there.
            if (await Record.ExceptionAsync(async () => await reader.HoldAsync(Length)) is FilePipeException late)
            {
                Assert.Equal(FailingPool.Reason, late.InnerException?.Message);
            }

            await reader.AssertRestAsync(0, Length);
        }
    }

    private static async Task<int> MostHeldAsync(ReadStrategy strategy)
    {
        using var pool = new CountingPool();
        await using FilePipeReader reader = Open(strategy, portable: false, pool);
        int most = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync();
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return most;
            }

            await Task.Yield();
            most = Math.Max(most, pool.Outstanding);
        }
    }

    private static FilePipeReader Open(ReadStrategy strategy, bool portable, MemoryPool<byte> pool) =>
        TestReader.Open(TestFolder.SharedFile(Length), strategy, portable, new FileReadOptions { Pool = pool });
}
