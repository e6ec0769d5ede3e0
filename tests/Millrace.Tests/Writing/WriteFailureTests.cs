using System.Runtime.Versioning;

namespace Millrace.Tests.Writing;

/// <summary>Failed writes: a typed error, the old file as it was, nothing left beside it.</summary>
[SupportedOSPlatform("linux")]
public sealed class WriteFailureTests : FolderTests
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
            FilePipeException full = await Fails.WithAsync(
                FilePipeError.NoSpace, async () => await writer.WriteAsync(new byte[2 * DiskBytes]));
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
            await Fails.WithAsync(FilePipeError.NoSpace, async () =>
            {
                await writer.WriteAsync(new byte[16 * 1024 * 1024]);
                await writer.CommitAsync();
            });
        }

        await Bounded.UntilAsync(() => Directory.GetFiles(disk.Path).Length <= 1);

        AssertOldFileAlone(disk);
    }

    [NeedsFact(Need.Mount)]
    public async Task Full_device_is_reported_by_GetMemory_without_a_flush()
    {
        using MountedDisk disk = MountedDisk.InMemory(DiskBytes);
        await using FilePipeWriter writer = FilePipe.Create(disk["file"]);
        Fails.With(FilePipeError.NoSpace, () =>
        {
            for (int i = 0; i < 100; i++)
            {
                writer.GetMemory(100_000);
                writer.Advance(100_000);
            }
        });
    }

    [NeedsFact(Need.Mount)]
    public async Task Writer_continues_once_there_is_space_again()
    {
        using MountedDisk disk = MountedDisk.InMemory(DiskBytes);
        await File.WriteAllBytesAsync(disk["large"], new byte[900_000]);
        await using FilePipeWriter writer = FilePipe.Create(disk["file"]);
        TestContent.Of(500_000).CopyTo(writer.GetMemory(500_000));
        writer.Advance(500_000);
        await Fails.WithAsync(FilePipeError.NoSpace, async () => await writer.CommitAsync());

        File.Delete(disk["large"]);
        await writer.CommitAsync();

        Assert.Equal(TestContent.Of(500_000).ToArray(), await File.ReadAllBytesAsync(disk["file"]));
    }

    [NeedsFact(Need.Mount | Need.Native)]
    public async Task Preallocation_without_space_is_rejected_before_writing()
    {
        using MountedDisk disk = MountedDisk.InMemory(DiskBytes);
        await File.WriteAllTextAsync(disk["file"], "old");
        Fails.With(
            FilePipeError.NoSpace, () => FilePipe.Create(disk["file"], new FileWriteOptions { PreallocationSize = 4 * DiskBytes }));
        AssertOldFileAlone(disk);
    }

    [NeedsFact(Need.Bash)]
    public async Task File_size_limit_is_an_error_and_not_a_signal()
    {
        // The runtime itself maps a large file in memory, unless it is configured not to.
        using var child = ChildProcess.StartAfter(
            "export DOTNET_EnableWriteXorExecute=0 && ulimit -f 1024", "write-too-much", Folder["file"]);
        Assert.Equal(nameof(FilePipeError.FileTooLarge), await child.ReadLineAsync());
        Assert.Equal(0, await child.EndAsync());
        Assert.Empty(Folder.Names);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Removed_folder_is_reported(bool portable)
    {
        string inner = Directory.CreateDirectory(Folder["inner"]).FullName;
        await using FilePipeWriter writer = FilePipe.Create(
            Path.Combine(inner, "file"), new FileWriteOptions { Portable = portable });
        await writer.WriteAsync(new byte[100]);
        Directory.Delete(inner, recursive: true);
        await Fails.WithAsync(FilePipeError.NotFound, async () => await writer.CommitAsync());
        await writer.DisposeAsync();
        Assert.Empty(Folder.Names);
    }

    [NeedsFact(Need.Native)]
    public async Task File_is_published_in_a_renamed_folder()
    {
        Directory.CreateDirectory(Folder["before"]);
        await using (FilePipeWriter writer = FilePipe.Create(Path.Combine(Folder["before"], "file")))
        {
            await writer.WriteAsync(new byte[100]);
            Directory.Move(Folder["before"], Folder["after"]);
            await writer.CommitAsync();
        }

        Assert.Equal(["after"], Folder.Names);
        Assert.Equal([Path.Combine(Folder["after"], "file")], Directory.GetFileSystemEntries(Folder["after"]));
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Read_only_file_is_rejected(bool portable)
    {
        await File.WriteAllTextAsync(Folder["file"], "old");
        File.SetUnixFileMode(Folder["file"], UnixFileMode.UserRead);
        AssertRefused(Folder, "file", FilePipeError.ReadOnly, portable);
        Assert.Equal(["file"], Folder.Names);
    }

    [NeedsTheory(Need.Mount), EveryValue]
    public void Read_only_mount_is_reported(bool portable)
    {
        using MountedDisk disk = MountedDisk.InMemory(DiskBytes);
        File.WriteAllText(disk["file"], "old");
        disk.MakeReadOnly();
        Fails.With(FilePipeError.ReadOnly, () => FilePipe.Create(disk["file"], new FileWriteOptions { Portable = portable }));
        Assert.Equal("old", File.ReadAllText(disk["file"]));
    }

    [Theory, EveryValue]
    public void Too_long_name_is_rejected(bool portable)
    {
        AssertRefused(Folder, new string('x', 256), FilePipeError.NameTooLong, portable);
        if (!OperatingSystem.IsWindows())
        {
            // Windows counts UTF-16, others bytes.
            AssertRefused(Folder, new string('ü', 128), FilePipeError.NameTooLong, portable);
        }

        Assert.Empty(Folder.Names);
    }

    [Theory, EveryValue]
    public async Task Longest_possible_name_is_accepted(bool portable)
    {
        string name = new('x', 255);
        await using FilePipeWriter writer = FilePipe.Create(Folder[name], new FileWriteOptions { Portable = portable });
        await writer.CommitAsync();
        Assert.Equal([name], Folder.Names);
    }

    [Theory, EveryValue]
    public void Folder_as_target_is_rejected(bool portable)
    {
        Directory.CreateDirectory(Folder["inner"]);
        AssertRefused(Folder, "inner", FilePipeError.IsDirectory, portable);
        AssertRefused(Folder, "inner/", FilePipeError.IsDirectory, portable);
        AssertRefused(Folder, "missing/file", FilePipeError.NotFound, portable);
        File.WriteAllText(Folder["file"], "old");
        AssertRefused(Folder, "file/file", FilePipeError.NotFound, portable);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public void Device_or_FIFO_is_not_replaced(bool portable)
    {
        Linux.MakeFifo(Folder["fifo"]);
        AssertRefused(Folder, "fifo", FilePipeError.Failed, portable);
        Fails.With(FilePipeError.Failed, () => FilePipe.Create("/dev/null", new FileWriteOptions { Portable = portable }));
        Assert.Equal(["fifo"], Folder.Names);
    }

    [NeedsTheory(Need.Mount), EveryValue]
    public async Task Mount_point_as_target_is_reported(bool portable)
    {
        await File.WriteAllTextAsync(Folder["file"], "under");
        await File.WriteAllTextAsync(Folder["other"], "over");
        Shell.Run("mount", "--bind", Folder["other"], Folder["file"]);
        try
        {
            await using (FilePipeWriter writer = FilePipe.Create(Folder["file"], new FileWriteOptions { Portable = portable }))
            {
                await writer.WriteAsync(new byte[10]);
                await Fails.WithAsync(FilePipeError.CrossDevice, async () => await writer.CommitAsync());
            }

            Assert.Equal("over", await File.ReadAllTextAsync(Folder["file"]));
            Assert.Equal(["file", "other"], Folder.Names);
        }
        finally
        {
            Shell.Run("umount", Folder["file"]);
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
