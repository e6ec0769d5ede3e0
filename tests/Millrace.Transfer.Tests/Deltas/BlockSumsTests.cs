using System.Buffers.Binary;
using System.IO.Pipelines;

namespace Millrace.Transfer.Tests.Deltas;

public sealed class BlockSumsTests
{
    [Theory]
    [InlineData(0, 1024)]
    [InlineData(1024 * 1024, 1024)]
    [InlineData((1024 * 1024) + 1, 2048)]
    [InlineData(1L << 30, 32 * 1024)]
    [InlineData((1L << 30) + 1, 36 * 1024)]
    [InlineData(1L << 40, 1024 * 1024)]
    [InlineData(1L << 44, 4 * 1024 * 1024)]
    public void Blocks_grow_with_the_root_of_the_file(long fileLength, int blockBytes) =>
        Assert.Equal(blockBytes, BlockSums.ChooseBlockBytes(fileLength));

    [Fact]
    public void Files_with_too_many_blocks_have_no_list()
    {
        Assert.True(BlockSums.CanList(1L << 44));
        Assert.False(BlockSums.CanList((1L << 44) + 1));
        Assert.False(BlockSums.CanList(-1));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(1024)]
    [InlineData(10_000)]
    [InlineData(1_500_000)]
    public async Task List_is_the_same_however_the_file_is_read(int length)
    {
        byte[] content = new byte[length];
        new Random(length).NextBytes(content);
        BlockSums whole = await DeltaFile.SumsOf(content);
        BlockSums pieces = await BlockSums.ComputeAsync(
            PipeReader.Create(new MemoryStream(content), new StreamPipeReaderOptions(bufferSize: 777)), length, CancellationToken.None);
        Assert.True(whole.Document.Span.SequenceEqual(pieces.Document.Span));
        Assert.Equal(BlockSums.DocumentBytes(length), whole.Document.Length);
        Assert.True(BlockSums.TryParse(whole.Document.ToArray(), out BlockSums? read));
        Assert.Equal(whole.BlockBytes, read!.BlockBytes);
        Assert.Equal((length + whole.BlockBytes - 1) / whole.BlockBytes, read.Count);
        byte[] strong = new byte[16];
        for (int block = 0; block < read.Count; block++)
        {
            ReadOnlySpan<byte> bytes = content.AsSpan(block * read.BlockBytes, Math.Min(read.BlockBytes, length - (block * read.BlockBytes)));
            Assert.Equal(RollingSum.Of(bytes), read.Weak(block));
            BlockSums.ComputeStrong(bytes, strong);
            Assert.True(strong.AsSpan(0, 8).SequenceEqual(read.Strong(block)));
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1)]
    public async Task Content_of_another_length_is_refused(int more)
    {
        byte[] content = new byte[5000];
        await Assert.ThrowsAsync<IOException>(async () => await BlockSums.ComputeAsync(
            PipeReader.Create(new MemoryStream(content)), content.Length - more, CancellationToken.None));
    }

    [Fact]
    public async Task Malformed_lists_are_refused()
    {
        byte[] good = (await DeltaFile.SumsOf(new byte[5000])).Document.ToArray();
        Assert.True(BlockSums.TryParse(good, out _));
        Assert.False(BlockSums.TryParse([], out _));
        Assert.False(BlockSums.TryParse(good[..^1], out _));
        Assert.False(BlockSums.TryParse([.. good, 0], out _));
        Assert.False(Changed(0, 0));
        Assert.False(Changed(4, 2));
        Assert.False(Changed(5, 7));
        Assert.False(Changed(5, 17));
        Assert.False(Changed(6, 1));
        Assert.False(Changed(12, 1));
        Assert.False(Numbers(0, 5000));
        Assert.False(Numbers(1, 5));
        Assert.False(Numbers(1023, 5000));
        Assert.False(Numbers(uint.MaxValue, 5000));
        Assert.False(Numbers(1024, -1));
        Assert.False(Numbers(1024, long.MaxValue));
        Assert.False(Numbers(1024, long.MinValue));

        bool Changed(int at, byte value)
        {
            byte[] bad = [.. good];
            bad[at] = value;
            return BlockSums.TryParse(bad, out _);
        }

        bool Numbers(uint blockBytes, long fileLength)
        {
            byte[] bad = [.. good];
            BinaryPrimitives.WriteUInt32LittleEndian(bad.AsSpan(8), blockBytes);
            BinaryPrimitives.WriteInt64LittleEndian(bad.AsSpan(16), fileLength);
            return BlockSums.TryParse(bad, out _);
        }
    }
}
