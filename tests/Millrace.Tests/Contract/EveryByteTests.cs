namespace Millrace.Tests.Contract;

/// <summary>
/// Every byte in order and then the end, at the file sizes where a reader changes its ways: nothing, one byte, and a
/// byte to either side of a buffer, a block and a window.
/// </summary>
public sealed class EveryByteTests
{
    private const int Block = 256 * 1024;
    private const int MiB = 1024 * 1024;

    public static TheoryData<string> Pipes() => [.. Factories().Select(factory => factory.Name)];

    [Theory, MemberData(nameof(Pipes))]
    public async Task Every_byte_of_files_about_a_buffer_or_block_long_is_read(string name)
    {
        FilePipeFactory factory = Get(name);
        int buffer = factory.Options.BufferSize == 0 ? Block : factory.Options.BufferSize;
        int[] lengths =
        [
            0, 1, buffer - 1, buffer, buffer + 1, (2 * buffer) - 1, 2 * buffer, (2 * buffer) + 1,
            Block - 1, Block, Block + 1, (2 * Block) - 1, 2 * Block, (2 * Block) + 1,
        ];
        foreach (int length in lengths)
        {
            await AssertEveryByteAsync(factory, length);
        }
    }

    [Theory, MemberData(nameof(Pipes))]
    public async Task Every_byte_of_files_about_a_window_long_is_read(string name)
    {
        foreach (int length in new[] { (2 * MiB) - 1, 2 * MiB, (2 * MiB) + 1, (4 * MiB) - 1, 4 * MiB, (4 * MiB) + 1, (9 * MiB) + 13 })
        {
            await AssertEveryByteAsync(Get(name), length);
        }
    }

    private static async Task AssertEveryByteAsync(FilePipeFactory factory, int length)
    {
        PipeReader reader = factory.Create(length);
        int most = factory.Options.BufferSize == 0 ? int.MaxValue : factory.Options.BufferSize;
        long consumed = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync().Soon();
            Assert.True(result.Buffer.IsSingleSegment);
            Assert.InRange(result.Buffer.Length, 0, most);
            ReaderExtensions.AssertContent(consumed, consumed + result.Buffer.Length, result.Buffer.FirstSpan);
            consumed += result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                break;
            }

            Assert.False(result.Buffer.IsEmpty);
        }

        Assert.Equal(length, consumed);
        Assert.True((await reader.ReadAsync().Soon()).IsCompleted);
        await reader.CompleteAsync();
    }

    private static IEnumerable<FilePipeFactory> Factories() => Readers.FilePipes(0, 2048, 4096, 65536, 262144, 1048576);

    private static FilePipeFactory Get(string name) => Factories().First(factory => factory.Name == name);
}
