using Millrace.Interop;

namespace Millrace.Tests.Appending;

/// <summary>Writes and flushes that the system refuses.</summary>
public sealed class AppendFailureTests
{
    private const int DiskBytes = 1024 * 1024;

    [NeedsTheory(Need.Linux | Need.Bash), EveryValue]
    public async Task A_record_over_the_file_size_limit_is_cut_off_and_a_shorter_one_fits(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();

        // The runtime keeps compiled code in a file without a name, which the limit would forbid as well.
        using ChildProcess child = ChildProcess.StartAfter(
            "export DOTNET_EnableWriteXorExecute=0 && ulimit -f 1", "append-limited", path, portable.ToString(), durability.ToString());

        // 1024 bytes are allowed: three records of 300, and part of a fourth.
        Assert.Equal("FileTooLarge 900 300 900", await child.ReadLineAsync());
        Assert.Equal("900 910", await child.ReadLineAsync());
    }

    [NeedsTheory(Need.Mount), EveryValue]
    public async Task On_a_full_disk_nothing_is_appended_and_the_next_flush_retries(bool portable, Durability durability)
    {
        using MountedDisk full = MountedDisk.InMemory(DiskBytes);

        string path = Path.Combine(full.Path, "log");
        string ballast = Path.Combine(full.Path, "ballast");
        await using FileAppendWriter writer = Logs.Open(path, portable, durability);
        await writer.WriteAsync(TestContent.Of(1000));
        await File.WriteAllBytesAsync(ballast, new byte[DiskBytes / 2]);
        FilePipeException refused = await Fails.WithAsync(
            FilePipeError.NoSpace, () => writer.WriteAsync(TestContent.Between(1000, DiskBytes)).AsTask().Soon());

        Assert.Equal(1000, refused.Offset);
        Assert.Equal(1000, new FileInfo(path).Length);
        Assert.Equal(DiskBytes - 1000, writer.UnflushedBytes);
        File.Delete(ballast);
        full.Resize(4 * DiskBytes);
        await writer.FlushAsync();

        Assert.Equal(TestContent.Of(DiskBytes).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [NeedsTheory(Need.Mount), EveryValue]
    public async Task Pieces_before_the_first_that_does_not_fit_are_appended(bool portable)
    {
        using MountedDisk full = MountedDisk.InMemory(DiskBytes);

        string path = Path.Combine(full.Path, "log");
        FileAppendWriter[] writers = [.. Enumerable.Range(0, 4).Select(_ => Logs.Open(path, portable))];
        Assert.True(Logs.LogOf(writers[0]).TryEnter());
        int[] lengths = [1000, DiskBytes / 2, DiskBytes, 10];
        Task<FlushResult>[] flushes = [.. writers.Zip(lengths, (writer, length) => Logs.Flush(writer, TestContent.Of(length)))];
        Logs.LogOf(writers[0]).Leave();
        await flushes[0].Soon();
        await flushes[1].Soon();
        FilePipeException[] refused =
        [
            await Assert.ThrowsAsync<FilePipeException>(() => flushes[2].Soon()),
            await Assert.ThrowsAsync<FilePipeException>(() => flushes[3].Soon()),
        ];

        // One exception each: they are thrown in different places.
        Assert.NotSame(refused[0], refused[1]);
        Assert.All(refused, exception => Assert.Equal(FilePipeError.NoSpace, exception.Error));
        Assert.Equal(1000 + (DiskBytes / 2), new FileInfo(path).Length);
        Assert.Equal(0, writers[0].UnflushedBytes);
        Assert.Equal(DiskBytes, writers[2].UnflushedBytes);
        writers[2].Complete(refused[0]);

        // A record that failed together with a too long piece fits alone.
        await writers[3].FlushAsync();
        Assert.Equal(1010 + (DiskBytes / 2), new FileInfo(path).Length);
        await Logs.DisposeAsync(writers);
    }

    [NeedsTheory(Need.Mount), EveryValue]
    public async Task Dispose_that_cannot_append_the_rest_throws_and_releases_everything(bool portable, Durability durability)
    {
        using MountedDisk full = MountedDisk.InMemory(DiskBytes);

        var pool = new CountingPool();
        string path = Path.Combine(full.Path, "log");
        var options = new FileAppendOptions { Pool = pool, Portable = portable, Durability = durability };
        FileAppendWriter one = FilePipe.Append(path, options);
        one.Write(TestContent.Of(2 * DiskBytes).Span);
        FileAppendWriter other = FilePipe.Append(path, options);
        other.Write(TestContent.Of(2 * DiskBytes).Span);

        Assert.Throws<FilePipeException>(() => one.Complete());
        await Assert.ThrowsAsync<FilePipeException>(() => other.CompleteAsync().AsTask());
        Assert.Equal(0, pool.Outstanding);
        Assert.Equal(0, Linux.OpenDescriptors(path));
    }

    // The framework does not report a failed fsync, so portably there is nothing to see.
    [NeedsFact(Need.Mount | Need.Ext4 | Need.Native)]
    public async Task A_failed_flush_to_the_device_is_final_for_every_writer_of_the_file()
    {
        using var failing = new FailingVolume();

        string path = Path.Combine(failing.Path, "log");
        FileAppendWriter writer = Logs.Open(path, portable: false);
        FileAppendWriter other = Logs.Open(path, portable: false);
        await writer.WriteAsync(TestContent.Of(1000));
        failing.FillDevice();
        FilePipeException lost = await Assert.ThrowsAsync<FilePipeException>(
            () => writer.WriteAsync(TestContent.Of(FailingVolume.MoreThanFits)).AsTask().Soon());
        Assert.Contains(lost.Error, new[] { FilePipeError.WriteFailed, FilePipeError.NoSpace });
        Assert.Contains("flush", lost.Message, StringComparison.Ordinal);

        // The file took the bytes; it is unknown which of them the device has.
        Assert.Equal(0, writer.UnflushedBytes);
        long length = new FileInfo(path).Length;
        FilePipeException later = await Assert.ThrowsAsync<FilePipeException>(
            () => other.WriteAsync(TestContent.Of(10)).AsTask().Soon());
        Assert.Contains("earlier flush", later.Message, StringComparison.Ordinal);
        Assert.Equal(length, new FileInfo(path).Length);
        await writer.DisposeAsync();
        other.Complete(later);
    }

    [NeedsFact(Need.Mount | Need.Native)]
    public void Read_only_file_system_is_rejected()
    {
        using MountedDisk small = MountedDisk.InMemory(DiskBytes);

        string path = Path.Combine(small.Path, "log");
        File.WriteAllText(path, "");
        small.MakeReadOnly();

        Fails.With(FilePipeError.ReadOnly, () => FilePipe.Append(path));
    }
}
