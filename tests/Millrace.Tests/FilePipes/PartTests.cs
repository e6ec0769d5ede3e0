namespace Millrace.Tests.FilePipes;

/// <summary>A part of a file: Offset and Length.</summary>
public sealed class PartTests
{
    private const int FileLength = 5_000_003;

    [Theory, EveryValue]
    public async Task Only_the_requested_part_is_read(ReadStrategy strategy, bool portable)
    {
        (long Offset, long? Length)[] parts =
        [
            (0, 0), (0, 1), (0, 100), (1, 1), (4_095, 2), (4_097, 300_000), (262_143, 262_145), (1_000_001, 0),
            (4_194_303, 3), (0, FileLength), (0, null), (4_999_999, null), (4_999_999, 1_000_000),
            (FileLength, null), (FileLength, 10), (FileLength + 10, null), (FileLength + 10L, 10),
            (10, long.MaxValue), (long.MaxValue, long.MaxValue),
        ];
        foreach ((long offset, long? length) in parts)
        {
            await using FilePipeReader reader = Open(strategy, portable, offset, length);
            long start = Math.Min(offset, FileLength);
            long end = length < FileLength - start ? start + length.Value : FileLength;
            Assert.Equal(offset, reader.Position);
            Assert.Equal(end - start, reader.Length);

            await reader.AssertRestAsync(start, end);

            Assert.Equal(offset + (end - start), reader.Position);
        }
    }

    [Theory, EveryValue]
    public async Task The_end_of_a_part_comes_with_its_last_bytes_or_the_next_read(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable, 1_001, 100);

        ReadResult result = await reader.ReadAtLeastAsync(101).Soon();

        Assert.True(result.IsCompleted);
        Assert.Equal(100, result.Buffer.Length);
        result.AssertStarts(1_001);
    }

    [Theory, EveryValue]
    public async Task A_part_is_read_in_chunks_too(ReadStrategy strategy, bool portable)
    {
        var options = new FileReadOptions { Offset = 262_140, Length = 10_000, BufferSize = 7 };
        await using FilePipeReader reader = TestReader.Open(TestFolder.SharedFile(FileLength), strategy, portable, options);

        await reader.AssertRestAsync(262_140, 272_140);
    }

    private static FilePipeReader Open(ReadStrategy strategy, bool portable, long offset, long? length) =>
        TestReader.Open(TestFolder.SharedFile(FileLength), strategy, portable, new FileReadOptions { Offset = offset, Length = length });
}
