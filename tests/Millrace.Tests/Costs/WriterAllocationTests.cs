using Millrace.Interop;

namespace Millrace.Tests.Costs;

/// <summary>What writing a file leaves to the garbage collector.</summary>
[Collection(ProcessWide.Name)]
public sealed class WriterAllocationTests
{
    private const int Length = 1024 * 1024;
    private const int Files = 50;

    [Theory]
    [InlineData(WriteStrategy.Auto, Durability.None, 512)]
    [InlineData(WriteStrategy.Auto, Durability.None, 65536)]
    [InlineData(WriteStrategy.Auto, Durability.OnCommit, 512)]
    [InlineData(WriteStrategy.Auto, Durability.OnCommit, 65536)]
    [InlineData(WriteStrategy.Auto, Durability.OnCommit, Length)]
    [InlineData(WriteStrategy.WriteBehind, Durability.None, 65536)]
    public void A_file_created_written_and_committed_allocates_at_most_1_KiB(
        WriteStrategy strategy, Durability durability, int chunk)
    {
        using var folder = new TemporaryFolder();
        string path = folder["file"];
        byte[] content = TestContent.Of(Length).ToArray();
        var options = new FileWriteOptions { Strategy = strategy, Durability = durability };
        WriteFiles(path, options, content, chunk, 10);

        long least = Least.Of(Least.AllocatedBytes, 1024 * Files, () => WriteFiles(path, options, content, chunk, Files)) / Files;

        // Portably the framework's own file objects come on top.
        Assert.InRange(least, 0, NativeFeatures.Linux ? 1024 : 4096);
        Assert.Equal(content, File.ReadAllBytes(path));
    }

    [Theory]
    [InlineData(512)]
    [InlineData(65536)]
    [InlineData(300_000)]
    public void Writing_allocates_nothing(int chunk)
    {
        using var folder = new TemporaryFolder();
        using FilePipeWriter writer = FilePipe.Create(folder["file"], new FileWriteOptions { Durability = Durability.None });
        byte[] content = TestContent.Of(Length).ToArray();
        Write(writer, content, chunk);

        Assert.Equal(0, Least.Of(GC.GetAllocatedBytesForCurrentThread, 0, () => Write(writer, content, chunk)));
    }

    private static void WriteFiles(string path, in FileWriteOptions options, byte[] content, int chunk, int files)
    {
        for (int i = 0; i < files; i++)
        {
            using FilePipeWriter writer = FilePipe.Create(path, options);
            Write(writer, content, chunk);
            ValueTask<CommitResult> commit = writer.CommitAsync();
            CommitResult done = commit.IsCompletedSuccessfully ? commit.Result : Wait(commit);
            if (done.Length != content.Length)
            {
                // An assertion would allocate.
                throw new InvalidOperationException("The file was not written to its end.");
            }
        }
    }

    private static void Write(FilePipeWriter writer, byte[] content, int chunk)
    {
        for (int offset = 0; offset < content.Length; offset += chunk)
        {
            int bytes = Math.Min(chunk, content.Length - offset);
            if (chunk < 4096)
            {
                content.AsSpan(offset, bytes).CopyTo(writer.GetSpan(bytes));
                writer.Advance(bytes);
                continue;
            }

            ValueTask<FlushResult> write = writer.WriteAsync(content.AsMemory(offset, bytes));
            _ = write.IsCompletedSuccessfully ? write.Result : Wait(write);
        }
    }

    private static T Wait<T>(ValueTask<T> task)
    {
        while (!task.IsCompleted)
        {
            // A task to wait on would be counted against the writer.
            Thread.Yield();
        }

        return task.Result;
    }
}
