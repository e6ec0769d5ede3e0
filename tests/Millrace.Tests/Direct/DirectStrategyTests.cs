using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Direct;

/// <summary>When a file is read past the page cache, and what happens where it cannot be.</summary>
public class DirectStrategyTests
{
    private static readonly FileReadOptions Direct = new() { Strategy = ReadStrategy.Direct };

    public static TheoryData<string> Engines => DirectReaders.EngineData;

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public void The_reason_names_the_engine(string engine)
    {
        using FilePipeReader reader = DirectReaders.Open(engine, DirectReaders.NewFile(1));
        Assert.Equal(ReadStrategy.Direct, reader.Strategy);
        Assert.Contains("O_DIRECT", reader.StrategyReason);
        Assert.Contains(engine, reader.StrategyReason);
    }

    [NeedsFact(Need.Linux)]
    public void A_regular_file_is_opened_past_the_page_cache()
    {
        string path = DirectReaders.NewFile(1);
        using FilePipeReader reader = FilePipe.OpenRead(path, Direct);
        Assert.Equal(ReadStrategy.Direct, reader.Strategy);
        Assert.Single(DirectReaders.DirectDescriptors(path));
    }

    [NeedsFact(Need.Linux)]
    public void The_portable_strategy_is_Buffered()
    {
        using FilePipeReader reader =
            FilePipe.OpenRead(DirectReaders.NewFile(1), Direct with { Portable = true });
        Assert.Equal(ReadStrategy.Buffered, reader.Strategy);
        Assert.Contains("switched off", reader.StrategyReason);
    }

    [NeedsTheory(Need.Linux)]
    [InlineData("/proc/self/stat")]
    [InlineData("/dev/zero")]
    public void Direct_falls_back_to_Buffered_with_a_reason(string path)
    {
        using FilePipeReader reader = FilePipe.OpenRead(path, Direct);
        Assert.Equal(ReadStrategy.Buffered, reader.Strategy);
        Assert.NotEqual("asked for", reader.StrategyReason);
    }

    [NeedsFact(Need.Linux)]
    public void A_file_in_memory_is_Buffered()
    {
        string path = Path.Combine("/dev/shm", Path.GetRandomFileName());
        File.WriteAllText(path, "in memory");
        try
        {
            using FilePipeReader reader = FilePipe.OpenRead(path, Direct);
            Assert.Equal(ReadStrategy.Buffered, reader.Strategy);
            Assert.Contains("in memory", reader.StrategyReason);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [NeedsFact(Need.Linux)]
    public async Task A_foreign_pool_is_ignored()
    {
        string path = DirectReaders.NewFile(100_000);
        using var pool = new FailingPool(rentals: 0);
        using FilePipeReader reader = FilePipe.OpenRead(path, Direct with { Pool = pool });
        Assert.Equal(ReadStrategy.Direct, reader.Strategy);
        await reader.AssertRestAsync(0, 100_000);
    }

    [NeedsFact(Need.Linux)]
    public async Task A_handle_given_by_the_caller_stays_as_it_was()
    {
        string path = DirectReaders.NewFile(300_000);
        using SafeFileHandle handle = Linux.OpenForReading(path);
        Linux.SetPosition(handle, 7);
        using (FilePipeReader reader = FilePipe.OpenRead(handle, Direct with { LeaveOpen = true }))
        {
            Assert.Equal(ReadStrategy.Direct, reader.Strategy);
            await reader.AssertRestAsync(0, 300_000);
        }

        Assert.Equal(7, Linux.GetPosition(handle));
        Assert.False(DirectNative.IsDirect((int)handle.DangerousGetHandle()));
    }

    [NeedsFact(Need.Linux)]
    public async Task A_deleted_file_is_read()
    {
        string path = DirectReaders.NewFile(300_000);
        using SafeFileHandle handle = Linux.OpenForReading(path);
        File.Delete(path);
        using FilePipeReader reader = FilePipe.OpenRead(handle, Direct);
        Assert.Equal(ReadStrategy.Direct, reader.Strategy);
        await reader.AssertRestAsync(0, 300_000);
    }
}
