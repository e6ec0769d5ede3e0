using System.Collections.Concurrent;

namespace Millrace.Tests.Scanning;

/// <summary>The readers that a scan hands out.</summary>
public sealed class ScanReaderTests
{
    [Fact]
    public async Task Ranges_are_read_side_by_side_on_the_pool()
    {
        // Each waits for the other to begin, which would not end one after the other.
        var both = new CountdownEvent(2);

        bool[] onPool = await FilePipe.ScanAsync(
            TestFolder.SharedFile(1_000),
            2,
            default,
            async (_, _) =>
            {
                bool pool = Thread.CurrentThread.IsThreadPoolThread;
                both.Signal();
                await Task.Run(both.Wait, CancellationToken.None);
                return pool;
            }).Soon();

        Assert.Equal([true, true], onPool);
    }

    [Theory, EveryValue]
    public async Task Every_strategy_reads_every_range(ReadStrategy strategy, bool portable)
    {
        var options = new FileReadOptions { Strategy = strategy, Portable = portable };

        ScannedRange[] ranges = await ScannedRange.ScanAsync(TestFolder.SharedFile(5_000_001), 3, default, options);

        Assert.Equal(3, ranges.Length);
        ReaderExtensions.AssertContent(0, 5_000_001, ranges.SelectMany(range => range.Bytes).ToArray());
    }

    [Fact]
    public async Task Auto_reads_on_the_thread_of_the_range() =>
        Assert.Equal(
            [ReadStrategy.Buffered, ReadStrategy.Buffered],
            await StrategiesAsync(TestFolder.SharedFile(3_000_000), ReadStrategy.Auto));

    [Theory]
    [InlineData(ReadStrategy.ReadAhead)]
    [InlineData(ReadStrategy.Mapped)]
    [InlineData(ReadStrategy.Direct)]
    public async Task The_requested_strategy_is_used_for_every_range(ReadStrategy strategy)
    {
        string path = TestFolder.NewFile(2_000_000);
        ReadStrategy alone;
        await using (FilePipeReader reader = FilePipe.OpenRead(path, new FileReadOptions { Strategy = strategy }))
        {
            alone = reader.Strategy;
        }

        Assert.Equal([alone, alone], await StrategiesAsync(path, strategy));
    }

    [Fact]
    public async Task Readers_are_completed_however_a_scan_ends()
    {
        var readers = new ConcurrentBag<FilePipeReader>();
        using var pool = new CountingPool();
        string path = TestFolder.SharedFile(1_000_000);

        await Assert.ThrowsAsync<FormatException>(() => FilePipe.ScanAsync<int>(
            path,
            2,
            default,
            async (reader, _) =>
            {
                readers.Add(reader);
                await reader.ReadAsync(CancellationToken.None);
                throw new FormatException();
            },
            new FileReadOptions { Pool = pool }).Soon());

        Assert.NotEmpty(readers);
        Assert.All(readers, reader => Assert.Throws<InvalidOperationException>(() => reader.TryRead(out _)));
        await pool.AllReturnedAsync().Soon();
    }

    [Fact]
    public async Task A_range_need_not_be_read_to_its_end()
    {
        byte[] firsts = await FilePipe.ScanAsync(
            TestFolder.SharedFile(1_000_000),
            2,
            default,
            async (reader, cancellationToken) => (await reader.ReadAsync(cancellationToken)).Buffer.FirstSpan[0]).Soon();

        Assert.Equal([TestContent.Of(1).Span[0], TestContent.Between(500_000, 500_001).Span[0]], firsts);
    }

    [Fact]
    public async Task A_reader_cannot_leave_its_range()
    {
        await FilePipe.ScanAsync(
            TestFolder.SharedFile(1_000),
            2,
            default,
            (reader, _) =>
            {
                long end = reader.Position + reader.Length;
                Assert.Throws<ArgumentOutOfRangeException>(() => reader.Seek(end + 1));
                return ValueTask.FromResult(0);
            }).Soon();
    }

    private static Task<ReadStrategy[]> StrategiesAsync(string path, ReadStrategy strategy) => FilePipe.ScanAsync(
        path,
        2,
        default,
        (reader, _) => ValueTask.FromResult(reader.Strategy),
        new FileReadOptions { Strategy = strategy }).Soon();
}
