namespace Millrace.Tests.Direct;

/// <summary>Readers that come and go while the device is at work.</summary>
public class DirectLifetimeTests
{
    private const int Size = (8 * 1024 * 1024) + 4097;

    public static TheoryData<string> Engines => DirectReaders.EngineData;

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task Readers_completed_with_reads_in_flight_do_not_affect_others(string engine)
    {
        string path = DirectReaders.NewFile(Size);
        using var stop = new CancellationTokenSource();

        // A block given back too early would be read into while another reader hands it out.
        Task witness = Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                using FilePipeReader reader = DirectReaders.Open(engine, path);
                await reader.AssertRestAsync(0, Size);
            }
        });

        var random = new Random(3);
        for (int i = 0; i < 300; i++)
        {
            using FilePipeReader reader = DirectReaders.Open(engine, path, new FileReadOptions { Offset = random.Next(Size) });
            ValueTask<ReadResult> read = reader.ReadAsync();
            if (i % 3 == 0)
            {
                ReadResult result = await read.Soon();
                reader.AdvanceTo(result.Buffer.End);
            }
            else
            {
                reader.Complete();
                await AssertEndedAsync(read);
            }
        }

        await stop.CancelAsync();
        await witness.Soon();
        await Linux.ClosedAsync(path);
    }

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task A_hundred_readers_at_once_each_get_their_bytes(string engine)
    {
        string path = DirectReaders.NewFile(Size);
        await Task.WhenAll(Enumerable.Range(0, 100).Select(async i =>
        {
            var options = new FileReadOptions { Offset = i * 1000, Length = 3_000_000 };
            using FilePipeReader reader = DirectReaders.Open(engine, path, options);
            await reader.AssertRestAsync(i * 1000, (i * 1000) + 3_000_000);
        })).Soon();
        await Linux.ClosedAsync(path);
    }

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task Cancelled_reads_lose_nothing(string engine)
    {
        using FilePipeReader reader = DirectReaders.Open(engine, DirectReaders.NewFile(Size));
        for (int i = 0; i < 20; i++)
        {
            ValueTask<ReadResult> read = reader.ReadAsync();
            reader.CancelPendingRead();
            ReadResult result = await read.Soon();
            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        }

        ReadResult last = await reader.ReadAsync().Soon();
        reader.AdvanceTo(last.Buffer.Start);
        await reader.AssertRestAsync(0, Size);
    }

    private static async Task AssertEndedAsync(ValueTask<ReadResult> read)
    {
        try
        {
            _ = await read.Soon();
        }
        catch (InvalidOperationException)
        {
            // The reader was completed before the bytes came.
        }
    }
}
