namespace Millrace.Tests.Appending;

/// <summary>Canceling ends the wait, not the append.</summary>
public sealed class AppendCancelTests
{
    [NeedsTheory(Need.Unix), EveryValue]
    public async Task A_canceled_flush_reports_it_and_its_piece_is_appended_once(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        await using FileAppendWriter writer = Logs.Open(path, portable, durability);
        Task<FlushResult> flush = Logs.FlushLater(writer, TestContent.Of(100));
        writer.CancelPendingFlush();
        Assert.True((await flush.Soon()).IsCanceled);
        Assert.Equal(100, writer.UnflushedBytes);

        writer.Write(TestContent.Between(100, 150).Span);
        Assert.Equal(150, writer.AcceptedBytes);
        Task<FlushResult> next = writer.FlushAsync().AsTask();
        Assert.False(next.IsCompleted);
        Logs.LogOf(writer).Leave();

        Assert.False((await next.Soon()).IsCanceled);
        Assert.Equal(0, writer.UnflushedBytes);
        Assert.Equal(150, writer.AcceptedBytes);
        Assert.Equal(TestContent.Of(150).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task A_token_ends_the_wait_and_the_piece_is_appended_once(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        await using FileAppendWriter writer = Logs.Open(path, portable, durability);
        using var source = new CancellationTokenSource();
        Task<FlushResult> flush = Logs.FlushLater(writer, TestContent.Of(100), source.Token);
        await source.CancelAsync();
        OperationCanceledException canceled = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => flush.Soon());
        Assert.Equal(source.Token, canceled.CancellationToken);
        Logs.LogOf(writer).Leave();
        await writer.FlushAsync().Soon();

        Assert.Equal(0, writer.UnflushedBytes);
        Assert.Equal(TestContent.Of(100).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [Theory, EveryValue]
    public async Task A_token_canceled_before_the_write_accepts_nothing(bool portable, Durability durability)
    {
        await using FileAppendWriter writer = Logs.Open(TestFolder.NewPath(), portable, durability);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await writer.WriteAsync(TestContent.Of(100), new CancellationToken(canceled: true)));

        Assert.Equal(0, writer.AcceptedBytes);
    }

    [Theory, EveryValue]
    public async Task A_cancellation_without_a_pending_flush_cancels_the_next_one(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        await using FileAppendWriter writer = Logs.Open(path, portable, durability);
        writer.CancelPendingFlush();

        Assert.True((await writer.WriteAsync(TestContent.Of(100))).IsCanceled);
        Assert.Equal(0, new FileInfo(path).Length);
        Assert.False((await writer.FlushAsync()).IsCanceled);
        Assert.Equal(100, new FileInfo(path).Length);
    }

    [Theory, EveryValue]
    public async Task After_cancel_and_dispose_everything_is_appended_once(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        FileAppendWriter writer = Logs.Open(path, portable, durability);
        Task<FlushResult> flush = Logs.FlushLater(writer, TestContent.Of(100));
        writer.CancelPendingFlush();
        await flush.Soon();
        writer.Write(TestContent.Between(100, 150).Span);
        Task disposal = Task.Run(writer.Dispose);
        Logs.LogOf(writer).Leave();
        await disposal.Soon();

        Assert.Equal(TestContent.Of(150).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [NeedsFact(Need.Unix)]
    public async Task A_canceled_flush_to_the_device_can_be_repeated()
    {
        string path = TestFolder.NewPath();
        await using FileAppendWriter writer = FilePipe.Append(path);
        writer.Write(TestContent.Of(100).Span);
        Assert.True(Logs.LogOf(writer).TryEnter());
        Task<FlushResult> flush = writer.FlushToDeviceAsync().AsTask();
        writer.CancelPendingFlush();
        Assert.True((await flush.Soon()).IsCanceled);
        Logs.LogOf(writer).Leave();

        Assert.False((await writer.FlushToDeviceAsync().Soon()).IsCanceled);
        Assert.Equal(0, writer.UnflushedBytes);
        Assert.Equal(TestContent.Of(100).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    public async Task Random_cancellations_keep_every_byte_once_and_in_order(int seed)
    {
        const int Writers = 4;
        string path = TestFolder.NewPath();
        FileAppendWriter[] writers = [.. Enumerable.Range(0, Writers).Select(i => Logs.Open(path, seed % 2 == 0, i == 0 ? Durability.None : Durability.EveryFlush))];
        await Task.WhenAll(writers.Select((writer, number) => Task.Run(() => AppendAsync(writer, (byte)number, new Random(seed * 100 + number)))));

        // Each writer's pieces are its number and a count that goes on: whatever is lost or twice breaks the count.
        int[] next = new int[Writers];
        byte[] bytes = await File.ReadAllBytesAsync(path);
        for (int i = 0; i < bytes.Length; i += 4)
        {
            Assert.Equal(next[bytes[i]]++, bytes[i + 1] | (bytes[i + 2] << 8) | (bytes[i + 3] << 16));
        }

        Assert.All(next, count => Assert.Equal(400, count));
    }

    private static async Task AppendAsync(FileAppendWriter writer, byte number, Random random)
    {
        await using FileAppendWriter owned = writer;
        int count = 0;
        while (count < 400)
        {
            int words = Math.Min(random.Next(1, 4), 400 - count);
            for (int i = 0; i < words; i++, count++)
            {
                writer.Write([number, (byte)count, (byte)(count >> 8), (byte)(count >> 16)]);
            }

            using var source = new CancellationTokenSource();
            Task<FlushResult> flush = writer.FlushAsync(source.Token).AsTask();
            switch (random.Next(4))
            {
                case 0:
                    await source.CancelAsync();
                    break;
                case 1:
                    writer.CancelPendingFlush();
                    break;
                case 2:
                    await Task.Yield();
                    await source.CancelAsync();
                    break;
            }

            try
            {
                await flush.Soon();
            }
            catch (OperationCanceledException)
            {
                // The bytes are accepted all the same.
            }

            Assert.Equal(4 * count, writer.AcceptedBytes);
        }
    }
}
