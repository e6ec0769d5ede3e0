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
            await ReadAsync(path, options);
        }

        // A KiB for the reader, and the task of the measurement itself.
        const long Limit = 1024 + 256;
        Assert.InRange(await Least.OfAsync(Least.AllocatedBytes, Limit, () => ReadAsync(path, options)), 0, Limit);
    }

    private static async Task ReadAsync(string path, FileReadOptions options)
    {
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
    }
}
