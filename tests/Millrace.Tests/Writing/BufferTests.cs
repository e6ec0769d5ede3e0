namespace Millrace.Tests.Writing;

/// <summary>GetMemory, GetSpan and Advance.</summary>
public sealed class BufferTests : FolderTests
{
    [Theory, EveryWriter]
    public async Task Memory_is_at_least_as_large_as_requested(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        foreach (int size in new[] { 0, 1, 4095, 4096, 100_000, 256 * 1024, 512 * 1024, 512 * 1024 + 1, 5_000_000, 1 })
        {
            Assert.InRange(writer.GetMemory(size).Length, Math.Max(size, 1), int.MaxValue);
            Assert.InRange(writer.GetSpan(size).Length, Math.Max(size, 1), int.MaxValue);
        }
    }

    [Theory, EveryWriter]
    public async Task Memory_and_span_end_up_in_the_file_in_order(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        int offset = 0;
        for (int size = 1; offset < 2_000_000; size = (size * 3) + 1)
        {
            TestContent.Between(offset, offset + size).Span.CopyTo(writer.GetSpan(size));
            writer.Advance(size);
            offset += size;
            TestContent.Between(offset, offset + size).CopyTo(writer.GetMemory(size));
            writer.Advance(size);
            offset += size;
            Assert.Equal(offset, writer.Position);
        }

        await writer.CommitAsync();

        Assert.Equal(TestContent.Of(offset).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
    }

    [Theory, EveryWriter]
    public async Task Less_memory_than_requested_may_be_used(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        for (int i = 0; i < 1000; i++)
        {
            writer.GetSpan(1000)[0] = (byte)i;
            writer.Advance(1);
        }

        await writer.CommitAsync();

        Assert.Equal(Enumerable.Range(0, 1000).Select(i => (byte)i), await File.ReadAllBytesAsync(Folder["file"]));
    }

    [Theory, EveryWriter]
    public async Task Advancing_by_zero_is_always_allowed(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        writer.Advance(0);
        _ = writer.GetMemory(10);
        writer.Advance(0);
        Assert.Equal(0, writer.UnflushedBytes);
    }

    [Theory, EveryWriter]
    public async Task Advancing_by_too_much_or_a_negative_number_throws(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.Advance(1));
        int length = writer.GetMemory(10).Length;
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.Advance(length + 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.Advance(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.GetMemory(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.GetSpan(-1));
        writer.Advance(length);
        Assert.Equal(length, writer.Position);
    }

    [Theory, EveryWriter]
    public async Task Unflushed_bytes_are_those_accepted_since_the_last_flush(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        Assert.True(writer.CanGetUnflushedBytes);
        Assert.Equal(0, writer.UnflushedBytes);
        _ = writer.GetMemory(100);
        writer.Advance(60);
        Assert.Equal(60, writer.UnflushedBytes);
        writer.Write(new byte[40]);
        Assert.Equal(100, writer.UnflushedBytes);
        Assert.Equal(100, writer.Position);
        await writer.FlushAsync();

        Assert.Equal(0, writer.UnflushedBytes);
        Assert.Equal(100, writer.Position);
        writer.Write(new byte[7]);
        Assert.Equal(7, writer.UnflushedBytes);
        await writer.FlushToDeviceAsync();
        Assert.Equal(0, writer.UnflushedBytes);
    }

    [Theory, EveryWriter]
    public async Task Nothing_reaches_the_file_before_a_flush_or_a_full_buffer(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        string staged = Path.Combine(Folder.Path, Assert.Single(Folder.Names));
        writer.Write(new byte[200_000]);
        Assert.Equal(0, new FileInfo(staged).Length);

        // Without flushes: full buffers have to go somewhere.
        for (int i = 0; i < 10; i++)
        {
            writer.Write(new byte[200_000]);
        }

        Assert.InRange(new FileInfo(staged).Length, 1_000_000, long.MaxValue);
        Assert.InRange(writer.UnflushedBytes, 0, 600_000);
    }

    [Theory]
    [InlineData("Buffered")]
    [InlineData("WriteBehind")]
    [InlineData("Portable")]
    [InlineData("EveryFlush")]
    [InlineData("PortableEveryFlush")]
    public async Task A_flush_takes_everything_to_the_file(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        string staged = Path.Combine(Folder.Path, Assert.Single(Folder.Names));
        writer.Write(TestContent.Of(1000).Span);
        await writer.FlushAsync();
        Assert.Equal(TestContent.Of(1000).ToArray(), await ReadAsync(staged));
        await writer.WriteAsync(TestContent.Between(1000, 1001));
        await writer.WriteAsync(TestContent.Between(1001, 500_000));
        Assert.Equal(0, writer.UnflushedBytes);
        Assert.Equal(TestContent.Of(500_000).ToArray(), await ReadAsync(staged));
    }

    [Theory]
    [InlineData("Buffered", 100)]
    [InlineData("WriteBehind", 100)]
    [InlineData("Portable", 100)]
    [InlineData("EveryFlush", 0)]
    [InlineData("PortableEveryFlush", 0)]
    public async Task Small_chunks_are_buffered_unless_flushes_are_durable(string kind, int unflushed)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        await writer.WriteAsync(TestContent.Of(100));
        Assert.Equal(unflushed, writer.UnflushedBytes);
        await writer.FlushAsync();
        Assert.Equal(0, writer.UnflushedBytes);
        Assert.Equal(100, writer.Position);
    }

    [Theory, EveryWriter]
    public async Task Full_buffers_are_written_in_whole_pages(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        for (int i = 0; i < 1000; i++)
        {
            writer.Write(TestContent.Of(1001).Span);
            Assert.Equal(0, (writer.Position - writer.UnflushedBytes) % 4096);
        }
    }

    private static async Task<byte[]> ReadAsync(string path)
    {
        await using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] bytes = new byte[stream.Length];
        await stream.ReadExactlyAsync(bytes);
        return bytes;
    }
}
