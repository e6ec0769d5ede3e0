using Millrace.Interop;

namespace Millrace.Tests.Costs;

/// <summary>What reading a file leaves to the garbage collector.</summary>
[Collection(ProcessWide.Name)]
public sealed class AllocationTests
{
    private const int Length = 4 * 1024 * 1024;
    private const int Files = 200;

    [Theory]
    [InlineData(ReadStrategy.Auto, 0)]
    [InlineData(ReadStrategy.Auto, 2048)]
    [InlineData(ReadStrategy.Buffered, 0)]
    [InlineData(ReadStrategy.Buffered, 2048)]
    [InlineData(ReadStrategy.Buffered, 65536)]
    public void A_file_in_memory_opened_read_and_completed_allocates_at_most_1_KiB(
        ReadStrategy strategy, int bufferSize)
    {
        string path = TestFolder.SharedFile(Length);
        var options = new FileReadOptions { Strategy = strategy, BufferSize = bufferSize };
        ReadFiles(path, options, 20);

        long least = Least.Of(Least.AllocatedBytes, 1024 * Files, () => ReadFiles(path, options, Files)) / Files;

        // Portably every block is waited for, which is a task for this test's own thread to wait on.
        Assert.InRange(least, 0, NativeFeatures.Linux ? 1024 : 4096);
    }

    [NeedsFact(Need.Native)]
    public void Reads_of_a_file_in_memory_allocate_nothing()
    {
        // A fact about reads that do not wait, which this process has none of.
        string path = TestFolder.SharedFile(Length);
        using FilePipeReader reader = FilePipe.OpenRead(
            path, new FileReadOptions { Strategy = ReadStrategy.Buffered, BufferSize = 2048 });
        Consume(reader);
        long least = Least.Of(GC.GetAllocatedBytesForCurrentThread, 0, () =>
        {
            reader.Seek(0);
            Consume(reader);
        });

        Assert.Equal(0, least);
    }

    private static void ReadFiles(string path, in FileReadOptions options, int files)
    {
        for (int i = 0; i < files; i++)
        {
            using FilePipeReader reader = FilePipe.OpenRead(path, options);
            if (Consume(reader) != Length)
            {
                // An assertion would allocate.
                throw new InvalidOperationException("The file was not read to its end.");
            }
        }
    }

    private static long Consume(FilePipeReader reader)
    {
        long consumed = 0;
        while (true)
        {
            ValueTask<ReadResult> read = reader.ReadAsync();
            ReadResult result = read.IsCompletedSuccessfully ? read.Result : read.AsTask().GetAwaiter().GetResult();
            consumed += result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return consumed;
            }
        }
    }
}
