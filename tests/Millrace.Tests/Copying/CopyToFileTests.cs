namespace Millrace.Tests.Copying;

/// <summary>From pipes and streams to files: the copied bytes, and the position of both sides afterwards.</summary>
public sealed class CopyToFileTests : FolderTests
{
    private const int Length = 3_000_001;
    private static readonly FileWriteOptions Options = new() { Durability = Durability.None };

    [Theory, EveryValue]
    public async Task Copied_bytes_follow_buffered_ones(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = TestReader.Open(TestFolder.SharedFile(Length), strategy, portable);
        await using FilePipeWriter writer = FilePipe.Create(Folder["file"], Options with { Portable = portable });
        TestContent.Of(1_000).CopyTo(writer.GetMemory(1_000));
        writer.Advance(1_000);
        await reader.SkipAsync(1_000);

        await reader.CopyToAsync(writer).Soon();

        Assert.Equal((Length, Length, 0), (reader.Position, writer.Position, writer.UnflushedBytes));
        Assert.Equal(Length, (await writer.CommitAsync()).Length);
        CopyFiles.AssertSame(reader.Path, Folder["file"]);
    }

    [Theory]
    [InlineData(Durability.OnCommit, false)]
    [InlineData(Durability.EveryFlush, false)]
    [InlineData(Durability.None, true)]
    public async Task Durable_and_hashed_files_get_every_byte_too(Durability durability, bool hash)
    {
        await using FilePipeReader reader = FilePipe.OpenRead(TestFolder.SharedFile(Length));
        await using FilePipeWriter writer = FilePipe.Create(
            Folder["file"], new FileWriteOptions { Durability = durability, ComputeSha256 = hash });

        await reader.CopyToAsync(writer).Soon();
        CommitResult commit = await writer.CommitAsync();

        CopyFiles.AssertSame(reader.Path, Folder["file"]);
        Assert.Equal(
            hash ? System.Security.Cryptography.SHA256.HashData(TestContent.Of(Length).Span) : [], commit.Sha256.ToArray());
    }

    [NeedsFact(Need.Unix)]
    public async Task A_file_that_grew_is_copied_to_its_new_end()
    {
        string path = TestFolder.NewFile(Length);
        await using FilePipeReader reader = FilePipe.OpenRead(path);
        await using FilePipeWriter writer = FilePipe.Create(Folder["file"], Options);
        await using (FileStream end = new(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite))
        {
            await end.WriteAsync(TestContent.Between(Length, Length + 1_000_000));
        }

        await reader.CopyToAsync(writer).Soon();
        await writer.CommitAsync();

        Assert.Equal(TestContent.Of(Length + 1_000_000).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
        File.Delete(path);
    }

    [NeedsFact(Need.Unix)]
    public async Task A_file_that_was_rewritten_is_reported_when_it_is_copied()
    {
        string path = TestFolder.NewFile(Length);
        await using FilePipeReader reader = FilePipe.OpenRead(path);
        await using FilePipeWriter writer = FilePipe.Create(Folder["file"], Options);
        await using (FileStream other = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            await other.WriteAsync(TestContent.Inverted(100));
        }

        await Fails.WithAsync(FilePipeError.Changed, () => reader.CopyToAsync(writer).Soon());

        File.Delete(path);
    }

    [NeedsFact(Need.Mount)]
    public async Task A_full_device_leaves_both_at_the_first_byte_that_was_not_written()
    {
        // Only root may mount a device that fills up.
        using MountedDisk small = MountedDisk.InMemory(4 * 1024 * 1024);
        await File.WriteAllBytesAsync(small["source"], TestContent.Of(Length).ToArray());
        await using FilePipeReader reader = FilePipe.OpenRead(small["source"]);
        await using (FilePipeWriter writer = FilePipe.Create(small["file"], Options))
        {
            await Fails.WithAsync(FilePipeError.NoSpace, () => reader.CopyToAsync(writer).Soon());

            Assert.InRange(reader.Position, 500_000, 1_500_000);
            Assert.Equal(reader.Position, writer.Position - writer.UnflushedBytes);
        }

        await reader.AssertRestAsync((int)reader.Position, Length);
    }

    [Fact]
    public async Task A_copy_that_is_canceled_at_any_time_can_be_continued()
    {
        // 48 MiB: three slices of the kernel's copy, between which a token counts.
        await using (FileStream source = File.Create(Folder["source"]))
        {
            for (int i = 0; i < 3; i++)
            {
                await source.WriteAsync(TestContent.Of(TestContent.MaxLength));
            }
        }

        for (int spins = 0; spins < 400_000; spins += 50_000)
        {
            await using FilePipeReader reader = FilePipe.OpenRead(Folder["source"]);
            await using FilePipeWriter writer = FilePipe.Create(Folder["file"], Options);
            using var cancel = new CancellationTokenSource();
            Task copy = reader.CopyToAsync(writer, cancel.Token);
            Thread.SpinWait(spins);
            switch (spins / 50_000 % 3)
            {
                case 0: await cancel.CancelAsync(); break;
                case 1: reader.CancelPendingRead(); break;
                default: writer.CancelPendingFlush(); break;
            }

            await copy.ContinueWith(_ => { }, TaskScheduler.Default).Soon();
            Assert.Equal(reader.Position, writer.Position);
            while (reader.Position < reader.Length)
            {
                // A cancellation that came too late ends the next copy instead.
                await reader.CopyToAsync(writer).ContinueWith(_ => { }, TaskScheduler.Default).Soon();
            }

            _ = await writer.FlushAsync();
            await writer.CommitAsync();
            CopyFiles.AssertSame(Folder["source"], Folder["file"]);
        }
    }

    [Fact]
    public async Task A_flush_that_was_canceled_before_ends_the_copy_which_can_be_continued()
    {
        await using FilePipeReader reader = FilePipe.OpenRead(TestFolder.SharedFile(Length));
        await using FilePipeWriter writer = FilePipe.Create(Folder["file"], Options);
        writer.CancelPendingFlush();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reader.CopyToAsync(writer).Soon());

        // Bytes that the writer accepted before the failure are not copied again.
        Assert.Equal(reader.Position, writer.Position);
        await reader.CopyToAsync(writer).Soon();
        await writer.CommitAsync();
        CopyFiles.AssertSame(reader.Path, Folder["file"]);
    }

    [Fact]
    public async Task A_completed_writer_is_rejected_and_leaves_everything()
    {
        await using FilePipeReader reader = FilePipe.OpenRead(TestFolder.SharedFile(Length));
        FilePipeWriter writer = FilePipe.Create(Folder["file"], Options);
        await writer.CompleteAsync();

        await Assert.ThrowsAsync<InvalidOperationException>(() => reader.CopyToAsync(writer).Soon());

        await reader.AssertRestAsync(0, Length);
    }

    [NeedsFact(Need.Linux)]
    public async Task A_reader_that_is_completed_during_a_copy_ends_it_and_closes_the_file()
    {
        string path = TestFolder.NewFile(Length);
        FilePipeReader reader = FilePipe.OpenRead(path);
        await using FilePipeWriter writer = FilePipe.Create(Folder["file"], Options);

        Task copy = reader.CopyToAsync(writer);
        await reader.CompleteAsync();

        // It may have been done by then.
        await copy.ContinueWith(_ => { }, TaskScheduler.Default).Soon();
        Assert.Equal(0, Linux.OpenDescriptors(path));
        File.Delete(path);
    }

    [Fact]
    public async Task A_stream_that_fails_leaves_what_it_gave()
    {
        await using FilePipeWriter writer = FilePipe.Create(Folder["file"], Options);

        // Its writer waits until everything is consumed, so that the failure comes after the bytes.
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 1, resumeWriterThreshold: 1));
        await using Stream stream = pipe.Reader.AsStream();
        Task copy = stream.CopyToAsync((PipeWriter)writer);
        await pipe.Writer.WriteAsync(TestContent.Of(400_000)).Soon();
        await pipe.Writer.CompleteAsync(new IOException("The test's failure."));

        await Assert.ThrowsAsync<IOException>(() => copy.Soon());

        Assert.Equal(400_000, writer.Position);
        await writer.CommitAsync();
        Assert.Equal(TestContent.Of(400_000).ToArray(), await File.ReadAllBytesAsync(Folder["file"]));
    }
}
