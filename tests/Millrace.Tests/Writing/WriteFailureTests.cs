using System.Runtime.Versioning;

namespace Millrace.Tests.Writing;

/// <summary>What cannot be written: a typed error, the old file as it was, nothing left beside it.</summary>
[SupportedOSPlatform("linux")]
public sealed class WriteFailureTests
{
    private const int DiskBytes = 1024 * 1024;

    public static TheoryData<WriteStrategy, bool> Ways { get; } = new()
    {
        { WriteStrategy.Buffered, false },
        { WriteStrategy.WriteBehind, false },
        { WriteStrategy.Buffered, true },
    };

    [NeedsTheory(Need.Mount), MemberData(nameof(Ways))]
    public async Task A_full_device(WriteStrategy strategy, bool portable)
    {
        using MountedDisk disk = MountedDisk.InMemory(DiskBytes);
        await File.WriteAllTextAsync(disk["file"], "old");
        await using (FilePipeWriter writer = FilePipe.Create(
            disk["file"], new FileWriteOptions { Strategy = strategy, Portable = portable }))
        {
            FilePipeException full = await Assert.ThrowsAsync<FilePipeException>(
                async () => await writer.WriteAsync(new byte[2 * DiskBytes]));
            Assert.Equal(FilePipeError.NoSpace, full.Error);
            Assert.Equal(disk["file"], full.Path);
            Assert.NotNull(full.InnerException);
        }

        AssertOldFileAlone(disk);
    }

    [NeedsFact(Need.Mount | Need.Ext4)]
    public async Task A_full_device_past_the_page_cache()
    {
        using MountedDisk disk = MountedDisk.Formatted("ext4", 8 * 1024 * 1024);
        await File.WriteAllTextAsync(disk["file"], "old");
        await using (FilePipeWriter writer = FilePipe.Create(
            disk["file"], new FileWriteOptions { Strategy = WriteStrategy.Direct }))
        {
            FilePipeException full = await Assert.ThrowsAsync<FilePipeException>(async () =>
            {
                await writer.WriteAsync(new byte[16 * 1024 * 1024]);
                await writer.CommitAsync();
            });
            Assert.Equal(FilePipeError.NoSpace, full.Error);
        }

        for (int i = 0; i < 1000 && Directory.GetFiles(disk.Path).Length > 1; i++)
        {
            await Task.Delay(5);
        }

        AssertOldFileAlone(disk);
    }

    [NeedsFact(Need.Mount)]
    public async Task A_full_device_shows_in_GetMemory_when_nobody_flushes()
    {
        using MountedDisk disk = MountedDisk.InMemory(DiskBytes);
        await using FilePipeWriter writer = FilePipe.Create(disk["file"]);
        FilePipeException full = Assert.Throws<FilePipeException>(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                writer.GetMemory(100_000);
                writer.Advance(100_000);
            }
        });
        Assert.Equal(FilePipeError.NoSpace, full.Error);
    }

    [NeedsFact(Need.Mount)]
    public async Task When_there_is_space_again_the_writer_goes_on_where_it_was()
    {
        using MountedDisk disk = MountedDisk.InMemory(DiskBytes);
        await File.WriteAllBytesAsync(disk["large"], new byte[900_000]);
        await using FilePipeWriter writer = FilePipe.Create(disk["file"]);
        TestContent.Of(500_000).CopyTo(writer.GetMemory(500_000));
        writer.Advance(500_000);
        FilePipeException full = await Assert.ThrowsAsync<FilePipeException>(async () => await writer.CommitAsync());
        Assert.Equal(FilePipeError.NoSpace, full.Error);

        File.Delete(disk["large"]);
        await writer.CommitAsync();

        Assert.Equal(TestContent.Of(500_000).ToArray(), await File.ReadAllBytesAsync(disk["file"]));
    }

    [NeedsFact(Need.Mount | Need.Native)]
    public async Task Space_that_is_not_there_is_refused_before_the_work()
    {
        using MountedDisk disk = MountedDisk.InMemory(DiskBytes);
        await File.WriteAllTextAsync(disk["file"], "old");
        FilePipeException full = Assert.Throws<FilePipeException>(
            () => FilePipe.Create(disk["file"], new FileWriteOptions { PreallocationSize = 4 * DiskBytes }));
        Assert.Equal(FilePipeError.NoSpace, full.Error);
        AssertOldFileAlone(disk);
    }

    [Fact]
    public async Task A_limit_on_the_length_of_files_is_an_error_and_no_signal()
    {
        using var folder = new TemporaryFolder();
        // The runtime itself maps a large file in memory, unless it is told not to.
        using var child = Mapped.Child.StartAfter(
            "export DOTNET_EnableWriteXorExecute=0 && ulimit -f 1024", "write-too-much", folder["file"]);
        Assert.Equal(nameof(FilePipeError.FileTooLarge), await child.HearAsync());
        Assert.Equal(0, await child.EndAsync());
        Assert.Empty(folder.Names);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_folder_that_was_removed_meanwhile(bool portable)
    {
        using var folder = new TemporaryFolder();
        string inner = Directory.CreateDirectory(folder["inner"]).FullName;
        await using FilePipeWriter writer = FilePipe.Create(
            Path.Combine(inner, "file"), new FileWriteOptions { Portable = portable });
        await writer.WriteAsync(new byte[100]);
        Directory.Delete(inner, recursive: true);
        FilePipeException gone = await Assert.ThrowsAsync<FilePipeException>(async () => await writer.CommitAsync());
        Assert.Equal(FilePipeError.NotFound, gone.Error);
        await writer.DisposeAsync();
        Assert.Empty(folder.Names);
    }

    [NeedsFact(Need.Native)]
    public async Task A_folder_that_was_renamed_meanwhile_gets_the_file()
    {
        using var folder = new TemporaryFolder();
        Directory.CreateDirectory(folder["before"]);
        await using (FilePipeWriter writer = FilePipe.Create(Path.Combine(folder["before"], "file")))
        {
            await writer.WriteAsync(new byte[100]);
            Directory.Move(folder["before"], folder["after"]);
            await writer.CommitAsync();
        }

        Assert.Equal(["after"], folder.Names);
        Assert.Equal([Path.Combine(folder["after"], "file")], Directory.GetFileSystemEntries(folder["after"]));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_file_that_is_marked_read_only(bool portable)
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["file"], "old");
        File.SetUnixFileMode(folder["file"], UnixFileMode.UserRead);
        AssertRefused(folder, "file", FilePipeError.ReadOnly, portable);
        Assert.Equal(["file"], folder.Names);
    }

    [NeedsTheory(Need.Mount)]
    [InlineData(false)]
    [InlineData(true)]
    public void A_file_system_that_is_mounted_read_only(bool portable)
    {
        using MountedDisk disk = MountedDisk.InMemory(DiskBytes);
        File.WriteAllText(disk["file"], "old");
        disk.MakeReadOnly();
        FilePipeException refused = Assert.Throws<FilePipeException>(
            () => FilePipe.Create(disk["file"], new FileWriteOptions { Portable = portable }));
        Assert.Equal(FilePipeError.ReadOnly, refused.Error);
        Assert.Equal("old", File.ReadAllText(disk["file"]));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_name_that_is_too_long(bool portable)
    {
        using var folder = new TemporaryFolder();
        AssertRefused(folder, new string('x', 256), FilePipeError.NameTooLong, portable);
        AssertRefused(folder, new string('ü', 128), FilePipeError.NameTooLong, portable);
        Assert.Empty(folder.Names);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_name_that_is_just_short_enough(bool portable)
    {
        using var folder = new TemporaryFolder();
        string name = new('x', 255);
        await using FilePipeWriter writer = FilePipe.Create(folder[name], new FileWriteOptions { Portable = portable });
        await writer.CommitAsync();
        Assert.Equal([name], folder.Names);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_folder_is_no_file(bool portable)
    {
        using var folder = new TemporaryFolder();
        Directory.CreateDirectory(folder["inner"]);
        AssertRefused(folder, "inner", FilePipeError.IsDirectory, portable);
        AssertRefused(folder, "inner/", FilePipeError.IsDirectory, portable);
        AssertRefused(folder, "missing/file", FilePipeError.NotFound, portable);
        File.WriteAllText(folder["file"], "old");
        AssertRefused(folder, "file/file", FilePipeError.NotFound, portable);
    }

    [NeedsFact(Need.Native)]
    public void Nothing_is_put_in_the_place_of_a_device_or_a_FIFO()
    {
        // The framework tells them from files only by opening them, which a FIFO makes wait.
        using var folder = new TemporaryFolder();
        Linux.MakeFifo(folder["fifo"]);
        AssertRefused(folder, "fifo", FilePipeError.Failed, portable: false);
        FilePipeException device = Assert.Throws<FilePipeException>(() => FilePipe.Create("/dev/null"));
        Assert.Equal(FilePipeError.Failed, device.Error);
        Assert.Equal(["fifo"], folder.Names);
    }

    [NeedsTheory(Need.Mount)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Something_is_mounted_on_the_name(bool portable)
    {
        using var folder = new TemporaryFolder();
        await File.WriteAllTextAsync(folder["file"], "under");
        await File.WriteAllTextAsync(folder["other"], "over");
        Shell.Run("mount", "--bind", folder["other"], folder["file"]);
        try
        {
            await using (FilePipeWriter writer = FilePipe.Create(folder["file"], new FileWriteOptions { Portable = portable }))
            {
                await writer.WriteAsync(new byte[10]);
                FilePipeException refused = await Assert.ThrowsAsync<FilePipeException>(async () => await writer.CommitAsync());
                Assert.Equal(FilePipeError.CrossDevice, refused.Error);
            }

            Assert.Equal("over", await File.ReadAllTextAsync(folder["file"]));
            Assert.Equal(["file", "other"], folder.Names);
        }
        finally
        {
            Shell.Run("umount", folder["file"]);
        }
    }

    private static void AssertRefused(TemporaryFolder folder, string name, FilePipeError error, bool portable)
    {
        FilePipeException refused = Assert.Throws<FilePipeException>(
            () => FilePipe.Create(folder[name], new FileWriteOptions { Portable = portable }));
        Assert.Equal(error, refused.Error);
        Assert.Equal(folder[name], refused.Path);
    }

    private static void AssertOldFileAlone(MountedDisk disk)
    {
        Assert.Equal("old", File.ReadAllText(disk["file"]));
        Assert.Equal(["file"], Directory.GetFiles(disk.Path).Select(Path.GetFileName));
    }
}
