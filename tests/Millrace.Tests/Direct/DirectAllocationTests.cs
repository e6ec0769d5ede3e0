namespace Millrace.Tests.Direct;

/// <summary>Allocations per file. Alone, because the whole process is counted: reads finish on many threads.</summary>
[Collection(ProcessWide.Name)]
public class DirectAllocationTests
{
    private const int Size = (8 * 1024 * 1024) + 4097;

    [Fact]
    public async Task Reading_allocates_next_to_nothing()
    {
        string path = DirectReaders.NewFile(Size);
        var options = new FileReadOptions { Strategy = ReadStrategy.Direct };
        for (int i = 0; i < 5; i++)
        {
            _ = await AllocatedAsync(path, options);
        }

        long least = long.MaxValue;
        for (int i = 0; i < 10; i++)
        {
            least = Math.Min(least, await AllocatedAsync(path, options));
        }

        Assert.InRange(least, 0, 1024);
    }

    private static async Task<long> AllocatedAsync(string path, FileReadOptions options)
    {
        long before = GC.GetTotalAllocatedBytes();
        FilePipeReader reader = FilePipe.OpenRead(path, options);
        while (true)
        {
            ReadResult result = await reader.ReadAsync();
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                break;
            }
        }

        reader.Complete();
        return GC.GetTotalAllocatedBytes() - before;
    }
}
