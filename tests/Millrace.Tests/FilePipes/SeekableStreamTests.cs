using System.IO.Compression;
using System.Text;

namespace Millrace.Tests.FilePipes;

/// <summary>A reader as a stream that seeks, for libraries that need one, and its lines for LINQ.</summary>
public sealed class SeekableStreamTests : FolderTests
{
    [Theory]
    [InlineData(ReadStrategy.Auto)]
    [InlineData(ReadStrategy.Buffered)]
    [InlineData(ReadStrategy.ReadAhead)]
    [InlineData(ReadStrategy.Mapped)]
    public async Task Stream_seeks_within_the_part_that_was_opened(ReadStrategy strategy)
    {
        byte[] content = Content.Random(2_000_000, 7);
        Folder.Write("a", content);
        await using FilePipeReader reader = FilePipe.OpenRead(Folder["a"], new FileReadOptions { Strategy = strategy, Offset = 1000, Length = 1_500_000 });
        await using Stream stream = reader.AsStream();

        Assert.True(stream.CanSeek && stream.CanRead && !stream.CanWrite);
        Assert.Equal((1_500_000, 0), (stream.Length, stream.Position));
        byte[] part = new byte[1000];
        foreach ((long offset, SeekOrigin origin, long expected) in ((long, SeekOrigin, long)[])
            [(-1000, SeekOrigin.End, 1_499_000), (5, SeekOrigin.Begin, 5), (700_000, SeekOrigin.Current, 700_005), (-700_005, SeekOrigin.Current, 0)])
        {
            Assert.Equal(expected, stream.Seek(offset, origin));
            await stream.ReadExactlyAsync(part);
            Assert.Equal(expected + part.Length, stream.Position);
            Assert.True(content.AsSpan((int)expected + 1000, part.Length).SequenceEqual(part));
            stream.Position = expected;
            stream.ReadExactly(part);
            Assert.True(content.AsSpan((int)expected + 1000, part.Length).SequenceEqual(part));
            stream.Position = expected;
        }

        Assert.Throws<IOException>(() => stream.Seek(-1, SeekOrigin.Begin));
        Assert.Throws<OverflowException>(() => stream.Seek(long.MaxValue, SeekOrigin.End));
        Assert.Equal(0, stream.Position);
        stream.Seek(0, SeekOrigin.End);
        Assert.Equal(0, await stream.ReadAsync(part));
        Assert.Throws<NotSupportedException>(() => stream.SetLength(1));
        Assert.Throws<NotSupportedException>(() => stream.Write(part));
    }

    [Fact]
    public async Task Libraries_that_need_to_seek_read_it()
    {
        await using (FileStream file = File.Create(Folder["a.zip"]))
        await using (var made = new ZipArchive(file, ZipArchiveMode.Create))
        {
            for (int i = 0; i < 3; i++)
            {
                await using Stream entry = await made.CreateEntry($"{i}").OpenAsync();
                await entry.WriteAsync(Content.Random(300_000, i));
            }
        }

        await using Stream stream = FilePipe.OpenRead(Folder["a.zip"]).AsStream();
        await using ZipArchive archive = await ZipArchive.CreateAsync(stream, ZipArchiveMode.Read, leaveOpen: false, entryNameEncoding: null);
        foreach (int i in (int[])[2, 0, 1])
        {
            using var copy = new MemoryStream();
            await using Stream entry = await archive.GetEntry($"{i}")!.OpenAsync();
            await entry.CopyToAsync(copy);
            Assert.Equal(Content.Random(300_000, i), copy.ToArray());
        }
    }

    [Fact]
    public void Followed_file_cannot_seek_as_a_stream()
    {
        Folder.Write("log", "one\n"u8.ToArray());
        using FilePipeReader reader = FilePipe.OpenRead(Folder["log"], new FileReadOptions { Follow = FollowMode.Name });
        using Stream stream = reader.AsStream();

        Assert.False(stream.CanSeek);
        Assert.Throws<NotSupportedException>(() => stream.Length);
        Assert.Throws<NotSupportedException>(() => stream.Position);
        Assert.Throws<NotSupportedException>(() => stream.Seek(0, SeekOrigin.Begin));
    }

    [Fact]
    public async Task Lines_for_LINQ_are_copies_and_stop_with_their_token()
    {
        Folder.Write("a", Encoding.UTF8.GetBytes(string.Concat(Enumerable.Range(0, 100_000).Select(i => $"{i}\n"))));
        await using FilePipeReader reader = FilePipe.OpenRead(Folder["a"]);
        List<ReadOnlyMemory<byte>> kept = await reader.ReadLinesAsync(100).AsAsyncEnumerable().Where(line => line.Span[^1] == '7').ToListAsync();
        Assert.Equal(Enumerable.Range(0, 10_000).Select(i => $"{(i * 10) + 7}"), kept.Select(line => Encoding.UTF8.GetString(line.Span)));

        reader.Seek(0);
        Assert.Equal(100_000, reader.ReadLinesAsync(100).AsAsyncEnumerable().ToBlockingEnumerable().Count());

        foreach (bool isStruct in (bool[])[true, false])
        {
            reader.Seek(0);
            using var stop = new CancellationTokenSource();
            int lines = 0;
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
            {
                if (isStruct)
                {
                    await foreach (ReadOnlyMemory<byte> line in reader.ReadLinesAsync(100).WithCancellation(stop.Token))
                    {
                        Stop(++lines);
                    }
                }
                else
                {
                    await foreach (ReadOnlyMemory<byte> line in reader.ReadLinesAsync(100).AsAsyncEnumerable().WithCancellation(stop.Token))
                    {
                        Stop(++lines);
                    }
                }
            });
            Assert.InRange(lines, 10, 99_999);

            void Stop(int count)
            {
                if (count == 10)
                {
                    stop.Cancel();
                }
            }
        }
    }
}
