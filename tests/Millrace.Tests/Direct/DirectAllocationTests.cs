namespace Millrace.Tests.Direct;

/// <summary>Allocations per file. Alone, because the whole process is counted: reads finish on many threads.</summary>
[Collection(ProcessWide.Name)]
public class DirectAllocationTests
{
    private const int Size = (8 * 1024 * 1024) + 4097;

    [NeedsFact(Need.Wine, "makes .NET allocate more")]
    public async Task Reading_allocates_next_to_nothing()
    {
        const int Limit = 1024;
        string path = DirectReaders.NewFile(Size);
        var options = new FileReadOptions { Strategy = ReadStrategy.Direct };

        // Once is enough: other work of the process meanwhile counts too, and a busy machine spreads that over many rounds.
        // Not in another method, whose task would count.
        long least = long.MaxValue;
        for (int round = 0; round < 500 && least > Limit; round++)
        {
            long before = Least.AllocatedBytes();
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
            least = Math.Min(least, Least.AllocatedBytes() - before);
        }

        Assert.InRange(least, 0, Limit);
    }
}
