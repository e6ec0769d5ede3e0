namespace Millrace.Tests.Appending;

/// <summary>Buffers of a caller's pool come back on every path.</summary>
public sealed class AppendMemoryTests
{
    [Theory, EveryValue]
    public async Task Everything_is_returned_after_a_disposal(bool portable, Durability durability)
    {
        var pool = new CountingPool();
        await using (FileAppendWriter writer = Open(pool, portable, durability))
        {
            await writer.WriteAsync(TestContent.Of(100));
            await writer.WriteAsync(TestContent.Of(2_000_000));
            writer.Write(TestContent.Of(1_000_000).Span);
        }

        Assert.NotEmpty(pool.Sizes);
        Assert.Equal(0, pool.Outstanding);
    }

    [Theory, EveryValue]
    public void Everything_is_returned_after_a_completion_with_an_exception(bool portable, Durability durability)
    {
        var pool = new CountingPool();
        FileAppendWriter writer = Open(pool, portable, durability);
        writer.Write(TestContent.Of(1_000_000).Span);
        writer.Complete(new InvalidOperationException("The caller gave up."));

        Assert.Equal(0, pool.Outstanding);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task Memory_of_a_flush_is_returned_when_it_ends_after_a_failed_completion(bool portable, Durability durability)
    {
        var pool = new CountingPool();
        FileAppendWriter writer = Open(pool, portable, durability);
        Task<FlushResult> flush = Logs.FlushLater(writer, TestContent.Of(100));
        Millrace.Appending.AppendLog log = Logs.LogOf(writer);
        writer.Complete(new InvalidOperationException("The caller gave up."));
        Assert.Equal(1, pool.Outstanding);
        log.Leave();
        await flush.Soon();
        await pool.AllReturnedAsync().Soon();

        Assert.Equal(100, new FileInfo(writer.Path).Length);
        if (OperatingSystem.IsLinux())
        {
            Assert.Equal(0, Linux.OpenDescriptors(writer.Path));
        }
    }

    [Theory, EveryValue]
    public async Task Canceled_flushes_return_their_memory(bool portable, Durability durability)
    {
        var pool = new CountingPool();
        FileAppendWriter writer = Open(pool, portable, durability);
        Task<FlushResult> flush = Logs.FlushLater(writer, TestContent.Of(100));
        writer.CancelPendingFlush();
        await flush.Soon();
        writer.Write(TestContent.Of(1_000_000).Span);
        Logs.LogOf(writer).Leave();
        await writer.FlushAsync().Soon();
        await writer.DisposeAsync();

        Assert.Equal(0, pool.Outstanding);
    }

    [Theory, EveryValue]
    public async Task A_long_piece_does_not_keep_its_memory(bool portable, Durability durability)
    {
        var pool = new CountingPool();
        await using FileAppendWriter writer = Open(pool, portable, durability);
        Task<FlushResult> flush = Logs.FlushLater(writer, TestContent.Of(2_000_000));
        Logs.LogOf(writer).Leave();
        await flush.Soon();

        Assert.Equal(0, pool.Outstanding);
    }

    private static FileAppendWriter Open(CountingPool pool, bool portable, Durability durability) => FilePipe.Append(
        TestFolder.NewPath(), new FileAppendOptions { Pool = pool, Portable = portable, Durability = durability });
}
