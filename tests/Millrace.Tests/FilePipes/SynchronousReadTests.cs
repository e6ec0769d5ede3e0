namespace Millrace.Tests.FilePipes;

/// <summary>Read(), the same as ReadAsync on the calling thread.</summary>
public sealed class SynchronousReadTests
{
    private const int Length = 5_000_003;

    [Theory, EveryReader(ReaderTraits.FilePipe)]
    public void Synchronous_reads_return_every_byte_and_the_end(string name)
    {
        int length = name.EndsWith(" 1", StringComparison.Ordinal) ? 5_000 : Length;
        using var reader = (FilePipeReader)Readers.Get(name).Create(length);
        long consumed = 0;
        ReadResult result;
        do
        {
            result = reader.Read();
            Assert.True(result.Buffer.IsSingleSegment);
            ReaderExtensions.AssertContent(consumed, consumed + result.Buffer.Length, result.Buffer.FirstSpan);
            consumed += result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.End);
        }
        while (!result.IsCompleted);

        Assert.Equal(length, consumed);
        Assert.True(reader.Read().IsCompleted);
    }

    [Theory, EveryValue]
    public async Task Both_kinds_of_reads_can_alternate(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        long consumed = 0;
        bool completed = false;
        for (int turn = 0; !completed; turn++)
        {
            ReadResult result = turn % 2 == 0 ? await Task.Run(reader.Read).Soon() : await reader.ReadAsync().Soon();
            ReaderExtensions.AssertContent(consumed, consumed + result.Buffer.Length, result.Buffer.ToArray());
            long step = result.Buffer.Length - (result.IsCompleted ? 0 : 13);
            reader.AdvanceTo(result.Buffer.GetPosition(step), result.Buffer.End);
            consumed += step;
            completed = result.IsCompleted;
        }

        Assert.Equal(Length, consumed);
    }

    [Theory, EveryValue]
    public void Synchronous_reads_return_examined_bytes_with_more(ReadStrategy strategy, bool portable)
    {
        using FilePipeReader reader = Open(strategy, portable);
        ReadResult first = reader.Read();
        reader.AdvanceTo(first.Buffer.Start, first.Buffer.End);

        ReadResult second = reader.Read();

        second.AssertStarts(0, (int)first.Buffer.Length + 1);
    }

    [Theory, EveryValue]
    public void CancelPendingRead_cancels_the_next_synchronous_read(ReadStrategy strategy, bool portable)
    {
        using FilePipeReader reader = Open(strategy, portable);
        reader.CancelPendingRead();

        Assert.True(reader.Read().IsCanceled);

        reader.Read().AssertStarts(0);
    }

    [Theory, EveryValue]
    public void Synchronous_read_after_completion_is_rejected(ReadStrategy strategy, bool portable)
    {
        FilePipeReader reader = Open(strategy, portable);
        reader.Dispose();

        Assert.Throws<InvalidOperationException>(() => reader.Read());
    }

    private static FilePipeReader Open(ReadStrategy strategy, bool portable) => TestReader.Open(
        TestFolder.SharedFile(Length), strategy, portable);
}
