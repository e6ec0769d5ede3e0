using System.Security.Cryptography;

namespace Millrace.Tests.Writing;

/// <summary>Written bytes are read back, however they are written.</summary>
public sealed class WriteTests : FolderTests
{
    [Theory, EveryWriter]
    public async Task Chunk_size_does_not_change_the_file(string kind)
    {
        const int Length = 2_500_001;
        foreach (int chunk in new[] { 1000, 4096, 65_536, 100_003, 262_144, 262_145, 1_048_576 })
        {
            await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
            for (int offset = 0; offset < Length; offset += chunk)
            {
                FlushResult result = await writer.WriteAsync(TestContent.Between(offset, Math.Min(Length, offset + chunk)));
                Assert.False(result.IsCanceled || result.IsCompleted);
            }

            CommitResult commit = await writer.CommitAsync();

            Assert.Equal(Length, commit.Length);
            Assert.Equal(TestContent.Of(Length).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
            Assert.Equal(
                WriterKind.Of(kind).Options.ComputeSha256 ? SHA256.HashData(TestContent.Of(Length).Span) : [],
                commit.Sha256.ToArray());
        }
    }

    [Theory, EveryWriter]
    public async Task Empty_file_can_be_published(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        await writer.WriteAsync(default);
        await writer.FlushAsync();
        CommitResult commit = await writer.CommitAsync();
        Assert.Equal(0, commit.Length);
        Assert.Empty(await File.ReadAllBytesAsync(Folder["file"]));
    }

    [Theory, EveryWriter]
    public async Task Zeros_are_zeros_between_other_bytes(string kind)
    {
        var expected = new MemoryStream();
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        foreach (int count in (int[])[0, 1, 4096, 70_000, 3_000_000, 5, 262_144])
        {
            byte[] bytes = TestContent.Between(count, count + 300_000).ToArray();
            writer.Write(bytes.AsSpan(0, 10));
            await writer.WriteAsync(bytes.AsMemory(10, count % 290_000));
            await writer.WriteZerosAsync(count);
            expected.Write(bytes, 0, 10 + (count % 290_000));
            expected.Write(new byte[count]);
            Assert.Equal(expected.Length, writer.Position);
        }

        CommitResult commit = await writer.CommitAsync();

        Assert.Equal(expected.Length, commit.Length);
        Assert.Equal(expected.ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
        Assert.Equal(WriterKind.Of(kind).Options.ComputeSha256 ? SHA256.HashData(expected.ToArray()) : [], commit.Sha256.ToArray());
    }

    [Fact]
    public async Task Number_of_zeros_is_within_the_longest_file()
    {
        await using FilePipeWriter writer = FilePipe.Create(Folder["file"]);
        await writer.WriteAsync(new byte[1]);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => writer.WriteZerosAsync(-1).AsTask());
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => writer.WriteZerosAsync(long.MaxValue).AsTask());
        await Assert.ThrowsAsync<FilePipeException>(() => writer.WriteZerosAsync(long.MaxValue - 1).AsTask());
    }

    [Theory, EveryWriter]
    public async Task Gathered_and_written_bytes_keep_their_order(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        int offset = 0;
        for (int i = 0; i < 300; i++)
        {
            int gathered = (i * 37) % 5000;
            int written = (i * 1009) % 20_000;
            writer.Write(TestContent.Between(offset, offset + gathered).Span);
            offset += gathered;
            await writer.WriteAsync(TestContent.Between(offset, offset + written));
            offset += written;
        }

        await writer.CommitAsync();

        Assert.Equal(TestContent.Of(offset).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
    }

    [Theory, EveryWriter]
    public async Task Streams_and_pipes_can_be_copied_to_the_writer(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        await using (var stream = new MemoryStream(TestContent.Of(1_000_000).ToArray()))
        {
            await stream.CopyToAsync(writer);
        }

        await PipeReader.Create(new ReadOnlySequence<byte>(TestContent.Between(1_000_000, 2_234_567))).CopyToAsync(writer);
        await writer.CommitAsync();

        Assert.Equal(TestContent.Of(2_234_567).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
    }

    [Theory, EveryWriter]
    public async Task AsStream_writes_the_file(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        await using (Stream stream = writer.AsStream(leaveOpen: true))
        {
            Assert.True(stream.CanWrite);
            await stream.WriteAsync(TestContent.Of(300_000));
            await stream.WriteAsync(TestContent.Between(300_000, 300_001));
            await stream.FlushAsync();
        }

        await writer.CommitAsync();

        Assert.Equal(TestContent.Of(300_001).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
    }

    [Theory, EveryWriter]
    public async Task Closing_the_stream_ends_the_writer_and_publishes_nothing(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        await using (Stream stream = writer.AsStream())
        {
            await stream.WriteAsync(TestContent.Of(300));
        }

        Assert.Empty(Folder.Names);
        Assert.Throws<InvalidOperationException>(() => writer.GetMemory());
    }
}
