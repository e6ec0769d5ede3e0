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
    public async Task Full_device_is_reported(WriteStrategy strategy, bool portable)
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
    public async Task Full_device_is_reported_for_direct_writes()
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
    public async Task Full_device_is_reported_by_GetMemory_without_a_flush()
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
    public async Task Writer_continues_once_there_is_space_again()
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
    public async Task Preallocation_without_space_is_rejected_before_writing()
    {
        using MountedDisk disk = MountedDisk.InMemory(DiskBytes);
        await File.WriteAllTextAsync(disk["file"], "old");
        FilePipeException full = Assert.Throws<FilePipeException>(
            () => FilePipe.Create(disk["file"], new FileWriteOptions { PreallocationSize = 4 * DiskBytes }));
        Assert.Equal(FilePipeError.NoSpace, full.Error);
        AssertOldFileAlone(disk);
    }

    [Fact]
    public async Task File_size_limit_is_an_error_and_not_a_signal()
    {
        using var folder = new TemporaryFolder();
        // The runtime itself maps a large file in memory, unless it is told not to.
        using var child = ChildProcess.StartAfter(
            "export DOTNET_EnableWriteXorExecute=0 && ulimit -f 1024", "write-too-much", folder["file"]);
        Assert.Equal(nameof(FilePipeError.FileTooLarge), await child.ReadLineAsync());
        Assert.Equal(0, await child.EndAsync());
        Assert.Empty(folder.Names);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Removed_folder_is_reported(bool portable)
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
    public async Task File_is_published_in_a_renamed_folder()
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
    public async Task Read_only_file_is_rejected(bool portable)
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
    public void Read_only_mount_is_reported(bool portable)
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
    public void Too_long_name_is_rejected(bool portable)
    {
        using var folder = new TemporaryFolder();
        AssertRefused(folder, new string('x', 256), FilePipeError.NameTooLong, portable);
        AssertRefused(folder, new string('ü', 128), FilePipeError.NameTooLong, portable);
        Assert.Empty(folder.Names);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Longest_possible_name_is_accepted(bool portable)
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
    public void Folder_as_target_is_rejected(bool portable)
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
    public void Device_or_FIFO_is_not_replaced()
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
    public async Task Mount_point_as_target_is_reported(bool portable)
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
