using System.Security.Cryptography;
using Microsoft.Win32.SafeHandles;
using Millrace.Writing;

namespace Millrace.Tests.Writing;

public sealed class ResumeTests : FolderTests
{
    [Theory, EveryValue]
    public async Task Uncommitted_part_stays_and_can_be_resumed(bool portable)
    {
        byte[] content = TestContent.Of(700_001).ToArray();
        foreach ((int from, int to) in new[] { (0, 1), (1, 300_000), (300_000, 300_000), (300_000, 700_001) })
        {
            await using FilePipeWriter writer = Resume(Folder, portable);
            Assert.Equal(from, writer.Position);
            await writer.WriteAsync(content.AsMemory(from..to));
        }

        Assert.Equal(["part"], Folder.Names);
        FilePipeWriter last = Resume(Folder, portable);
        CommitResult commit = await last.CommitAsync();
        Assert.Equal(700_001, commit.Length);
        Assert.Equal(["file"], Folder.Names);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["file"]));
    }

    [Theory, EveryValue]
    public async Task The_digest_is_that_of_the_whole(bool portable)
    {
        byte[] content = TestContent.Of(500_000).ToArray();
        await File.WriteAllBytesAsync(Folder["part"], content[..123_457]);
        await using FilePipeWriter writer = Resume(Folder, portable, sha256: true);
        await writer.WriteAsync(content.AsMemory(123_457..));
        CommitResult commit = await writer.CommitAsync();
        Assert.Equal(SHA256.HashData(content), commit.Sha256.ToArray());
    }

    [Theory, EveryValue]
    public async Task Only_one_writer_at_a_time_resumes_a_part(bool portable)
    {
        FilePipeWriter first = Resume(Folder, portable);
        Fails.With(FilePipeError.Sharing, () => Resume(Folder, portable));
        await first.WriteAsync(new byte[] { 1, 2, 3 });
        await first.DisposeAsync();
        await using FilePipeWriter second = Resume(Folder, portable);
        Assert.Equal(3, second.Position);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_starting_process_does_not_hold_a_part(bool portable)
    {
        FilePipeWriter first = Resume(Folder, portable);
        using SafeFileHandle inherited = Linux.Duplicate(first.Handle);
        await first.DisposeAsync();

        await using FilePipeWriter second = Resume(Folder, portable);
        Assert.Equal(0, second.Position);
    }

    [Theory, EveryValue]
    public async Task A_part_in_another_folder_is_published_where_it_belongs(bool portable)
    {
        Directory.CreateDirectory(Folder["parts"]);
        await using (FilePipeWriter writer = FilePipe.Resume(
            Path.Combine(Folder["parts"], "1"), Folder["file"], new FileWriteOptions { Portable = portable }))
        {
            await writer.WriteAsync("abc"u8.ToArray());
            await writer.CommitAsync();
        }

        Assert.Equal("abc", await File.ReadAllTextAsync(Folder["file"]));
        Assert.Empty(Directory.GetFiles(Folder["parts"]));
    }

    [Theory, EveryValue]
    public async Task CreateNew_rejects_a_taken_name_and_keeps_the_part(bool portable)
    {
        var options = new FileWriteOptions { CreateNew = true, Portable = portable };
        await using (FilePipeWriter writer = FilePipe.Resume(Folder["part"], Folder["file"], options))
        {
            await writer.WriteAsync("abc"u8.ToArray());
            await File.WriteAllTextAsync(Folder["file"], "taken");
            await Fails.WithAsync(FilePipeError.NameTaken, async () => await writer.CommitAsync());
        }

        Assert.Equal("taken", await File.ReadAllTextAsync(Folder["file"]));
        Assert.Equal("abc", await File.ReadAllTextAsync(Folder["part"]));
        Assert.Throws<FilePipeException>(() => FilePipe.Resume(Folder["part"], Folder["file"], options));
    }

    [Theory, EveryValue]
    public async Task Flushed_bytes_are_readable_while_the_writer_is_open(bool portable)
    {
        await using FilePipeWriter writer = Resume(Folder, portable);
        await writer.WriteAsync(new byte[1000]);
        FlushResult flushed = await writer.FlushToDeviceAsync();
        Assert.False(flushed.IsCanceled);
        Assert.Equal(0, writer.UnflushedBytes);
        Assert.Equal(1000, new FileInfo(Folder["part"]).Length);
    }

    [Theory, EveryValue]
    public async Task A_published_file_can_be_read_at_once(bool portable)
    {
        FilePipeWriter writer = Resume(Folder, portable);
        await writer.WriteAsync("abc"u8.ToArray());
        await writer.CommitAsync();
        Assert.Equal("abc", await File.ReadAllTextAsync(Folder["file"]));
        await writer.DisposeAsync();
    }

    [Theory, EveryValue]
    public async Task Failed_writer_keeps_the_part_and_drops_unflushed_bytes(bool portable)
    {
        FilePipeWriter writer = Resume(Folder, portable);
        await writer.WriteAsync(new byte[1000]);
        await writer.FlushAsync();
        await writer.WriteAsync(new byte[500]);
        await writer.CompleteAsync(new IOException("the sender has gone"));
        Assert.Equal(1000, new FileInfo(Folder["part"]).Length);
    }

    [Theory, EveryValue]
    public async Task An_appended_file_is_flushed_to_the_device_whatever_its_durability(Durability durability)
    {
        await using FileAppendWriter writer =
            FilePipe.Append(Folder["log"], new FileAppendOptions { Durability = durability });
        await writer.WriteAsync("one\n"u8.ToArray());
        writer.Write("two\n"u8);
        await writer.FlushToDeviceAsync();
        Assert.Equal(0, writer.UnflushedBytes);
        Assert.Equal("one\ntwo\n", await ReadSharedAsync(Folder["log"]));
    }

    [Theory, EveryValue(Except = WriteStrategy.Auto)]
    public async Task A_created_file_can_be_flushed_to_the_device_before_its_commit(WriteStrategy strategy)
    {
        byte[] content = TestContent.Of(300_001).ToArray();
        FilePipeWriter writer = FilePipe.Create(Folder["file"], new FileWriteOptions { Strategy = strategy });
        await writer.WriteAsync(content.AsMemory(..100_001));
        await writer.FlushToDeviceAsync();
        await writer.WriteAsync(content.AsMemory(100_001..));
        await writer.FlushToDeviceAsync();
        await writer.CommitAsync();
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["file"]));
    }

    [Fact]
    public async Task Resumed_file_is_not_written_past_the_cache()
    {
        await File.WriteAllBytesAsync(Folder["part"], new byte[100]);
        await using FilePipeWriter writer = FilePipe.Resume(
            Folder["part"], Folder["file"], new FileWriteOptions { Strategy = WriteStrategy.Direct });
        Assert.Equal(WriteStrategy.Buffered, writer.Strategy);
    }

    [NeedsTheory(Need.Links), EveryValue]
    public void Link_as_part_is_rejected(bool portable)
    {
        File.WriteAllText(Folder["other"], "not to be touched");
        File.CreateSymbolicLink(Folder["part"], Folder["other"]);
        Assert.Throws<FilePipeException>(() => Resume(Folder, portable));
        Assert.Equal("not to be touched", File.ReadAllText(Folder["other"]));
    }

    private static async Task<string> ReadSharedAsync(string path)
    {
        using var reader = new StreamReader(
            new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
        return await reader.ReadToEndAsync();
    }

    private static FilePipeWriter Resume(TemporaryFolder folder, bool portable, bool sha256 = false) => FilePipe.Resume(
        folder["part"], folder["file"], new FileWriteOptions { Portable = portable, ComputeSha256 = sha256 });
}
