using Millrace.Interop;

namespace Millrace.Tests.Costs;

/// <summary>Bytes in the page cache never take the way over the thread pool.</summary>
[Collection(ProcessWide.Name)]
public sealed class InlineReadTests
{
    [NeedsTheory(Need.Native)]
    [InlineData(0)]
    [InlineData(2048)]
    [InlineData(65536)]
    public async Task Every_read_of_a_file_in_memory_completes_at_once(int bufferSize)
    {
        // Without RWF_NOWAIT the cached bytes are unknown.
        const int Length = 4 * 1024 * 1024;
        string path = TestFolder.NewFile(Length);

        // Written back and read once: the cache may refuse to answer at once for pages that are being written.
        ColdFile.Evict(path);
        _ = await File.ReadAllBytesAsync(path);

        await using FilePipeReader reader = FilePipe.OpenRead(
            path, new FileReadOptions { Strategy = ReadStrategy.Buffered, BufferSize = bufferSize });
        long consumed = 0;
        bool completed = false;
        while (!completed)
        {
            ValueTask<ReadResult> read = reader.ReadAsync();
            Assert.True(read.IsCompletedSuccessfully, $"waited at offset {consumed}");
            ReadResult result = await read;
            consumed += result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.End);
            completed = result.IsCompleted;
        }

        Assert.Equal(Length, consumed);
    }
}
