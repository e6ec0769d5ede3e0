namespace Millrace.Tests.Appending;

/// <summary>What flushing leaves to the garbage collector.</summary>
[Collection(ProcessWide.Name)]
public sealed class AppendAllocationTests
{
    private const int Flushes = 1000;

    [NeedsTheory(Need.Wine, "makes .NET allocate more"), EveryValue]
    public async Task Flushes_of_one_writer_allocate_nothing(bool portable, Durability durability)
    {
        await using FileAppendWriter writer = Logs.Open(TestFolder.NewPath(), portable, durability);

        await AssertFreeAsync([writer]);
    }

    [NeedsTheory(Need.Wine, "makes .NET allocate more"), EveryValue]
    public async Task Flushes_of_several_writers_allocate_nothing(bool portable)
    {
        string path = TestFolder.NewPath();
        FileAppendWriter[] writers = [.. Enumerable.Range(0, 8).Select(_ => Logs.Open(path, portable))];

        await AssertFreeAsync(writers);
        await Logs.DisposeAsync(writers);
    }

    private static async Task AssertFreeAsync(FileAppendWriter[] writers)
    {
        byte[] record = TestContent.Of(100).ToArray();
        await FlushAllAsync(writers, record, 100);

        // The tasks of the round itself are a few hundred bytes each, and the pool's threads now and then grow a list.
        const long Limit = 16 * 1024;
        Assert.InRange(await Least.OfAsync(Least.AllocatedBytes, Limit, () => FlushAllAsync(writers, record, Flushes)), 0, Limit);
    }

    private static Task FlushAllAsync(FileAppendWriter[] writers, byte[] record, int flushes) =>
        Task.WhenAll(writers.Select(writer => Task.Run(() => FlushAsync(writer, record, flushes))));

    private static async Task FlushAsync(FileAppendWriter writer, byte[] record, int flushes)
    {
        for (int i = 0; i < flushes; i++)
        {
            writer.Write(record);
            await writer.FlushAsync();
        }
    }
}
