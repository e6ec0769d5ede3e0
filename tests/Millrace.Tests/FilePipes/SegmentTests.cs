namespace Millrace.Tests.FilePipes;

/// <summary>Every buffer is one segment, however it came about.</summary>
public sealed class SegmentTests
{
    [Theory, EveryReader(ReaderTraits.OneSegment)]
    public async Task Bytes_held_across_blocks_are_one_segment(string name)
    {
        const int Length = 1_200_000;
        PipeReader reader = Readers.Get(name).Create(Length);
        long consumed = 0;
        ReadResult result;
        do
        {
            result = await reader.ReadAtLeastAsync(100_001).Soon();
            Assert.True(result.Buffer.IsSingleSegment);
            ReaderExtensions.AssertContent(consumed, consumed + result.Buffer.Length, result.Buffer.FirstSpan);

            // An odd rest is carried from block to block.
            long step = result.IsCompleted ? result.Buffer.Length : result.Buffer.Length - 77;
            reader.AdvanceTo(result.Buffer.GetPosition(step));
            consumed += step;
        }
        while (!result.IsCompleted);

        Assert.Equal(Length, consumed);
        await reader.CompleteAsync();
    }
}
