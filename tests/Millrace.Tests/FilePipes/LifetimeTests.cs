namespace Millrace.Tests.FilePipes;

/// <summary>Completion and disposal: the file is closed, once, whatever is going on.</summary>
[Collection(ProcessWide.Name)]
public sealed class LifetimeTests
{
    private const int Length = 5_000_003;

    [Theory, EveryValue]
    public async Task All_kinds_of_completion_can_follow_each_other(ReadStrategy strategy, bool portable)
    {
        FilePipeReader reader = Open(strategy, portable);
        await reader.HoldAsync(100);

        reader.Dispose();
        await reader.DisposeAsync();
        reader.Complete();
        await reader.CompleteAsync();
        reader.Dispose();

        Assert.Throws<InvalidOperationException>(() => reader.TryRead(out _));
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task Completing_closes_the_file(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Length);
        var options = new FileReadOptions { Strategy = strategy, Portable = portable };
        for (int held = 0; held < 1_000_000; held = (held * 3) + 1)
        {
            FilePipeReader reader = FilePipe.OpenRead(path, options);
            await reader.HoldAsync(held);
            await reader.CompleteAsync();
        }

        await Linux.ClosedAsync(path);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task Completing_during_a_disk_wait_is_safe(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(2_000_000);
        for (int turn = 0; turn < 20; turn++)
        {
            ColdFile.Evict(path);
            FilePipeReader reader = TestReader.Open(path, strategy, portable);
            Task<ReadResult> read = reader.ReadAtLeastAsync(1 + (turn * 90_000)).AsTask();

            await reader.CompleteAsync();

            // It was there before the completion, or it is refused.
            if (await Record.ExceptionAsync(() => read.Soon()) is { } exception)
            {
                Assert.IsType<InvalidOperationException>(exception);
            }
        }

        await Linux.ClosedAsync(path);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task Cancelling_during_a_disk_wait_loses_nothing(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Length);
        ColdFile.Evict(path);
        await using FilePipeReader reader = TestReader.Open(path, strategy, portable);
        long consumed = 0;
        bool completed = false;
        for (int turn = 0; !completed; turn++)
        {
            Task<ReadResult> read = reader.ReadAsync().AsTask();
            if (turn % 2 == 0)
            {
                reader.CancelPendingRead();
            }

            ReadResult result = await read.Soon();
            ReaderExtensions.AssertContent(consumed, consumed + result.Buffer.Length, result.Buffer.ToArray());
            consumed += result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.End);
            completed = result.IsCompleted;
        }

        Assert.Equal(Length, consumed);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_reader_that_was_never_read_closes_its_file(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Length);
        FilePipeReader reader = TestReader.Open(path, strategy, portable);

        await reader.DisposeAsync();

        await Linux.ClosedAsync(path);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_cold_file_is_read_completely(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Length);
        ColdFile.Evict(path);
        await using FilePipeReader reader = TestReader.Open(path, strategy, portable);

        await reader.AssertRestAsync(0, Length);
    }

    private static FilePipeReader Open(ReadStrategy strategy, bool portable) => TestReader.Open(
        TestFolder.SharedFile(Length), strategy, portable);
}
