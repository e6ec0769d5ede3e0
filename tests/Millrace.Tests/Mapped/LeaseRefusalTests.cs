using System.Diagnostics.CodeAnalysis;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Mapped;

/// <summary>Without a lease, or if mapping is off, the file is read, and the reader reports the reason.</summary>
public sealed class LeaseRefusalTests
{
    private const int Size = 300_000;

    [Fact]
    public async Task A_file_that_a_writer_has_open_is_read()
    {
        string path = TestFolder.NewFile(Size);
        using SafeFileHandle writer = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);

        await AssertReadAsync(
            Mapping.Open(path, new FileReadOptions { Share = FileShare.ReadWrite }), "it is open for writing");
    }

    [Fact]
    public async Task A_handle_that_can_write_is_read()
    {
        using SafeFileHandle handle = File.OpenHandle(TestFolder.NewFile(Size), FileMode.Open, FileAccess.ReadWrite);

        await AssertReadAsync(FilePipe.OpenRead(handle, Mapped), "it is open for writing");
    }

    [MappedFact]
    public async Task The_second_reader_of_a_handle_leaves_the_first_ones_lease_alone()
    {
        string path = TestFolder.NewFile(Size);
        using SafeFileHandle handle = File.OpenHandle(path);
        await using FilePipeReader first = FilePipe.OpenRead(handle, Mapped with { LeaveOpen = true });
        ReadResult held = await first.HoldAsync(Size);

        await AssertReadAsync(
            FilePipe.OpenRead(handle, Mapped with { LeaveOpen = true }), "another reader of the same handle maps it");

        Assert.False(Writers.TryOpenOnly(path));
        held.AssertStarts(0, Size);
    }

    [Fact]
    public async Task Portable_reading_does_not_map()
    {
        await using FilePipeReader reader = Mapping.Open(
            TestFolder.SharedFile(Size), new FileReadOptions { Portable = true });

        Assert.Equal(ReadStrategy.Buffered, reader.Strategy);
        Assert.Equal(
            "mapping was asked for, but this process or system is limited to portable reading", reader.StrategyReason);
        await reader.AssertRestAsync(0, Size);
    }

    [Fact]
    public async Task An_empty_file_is_read()
    {
        await AssertReadAsync(Mapping.Open(TestFolder.SharedFile(0)), "it is not a regular file with a size", 0);
    }

    [Fact]
    public async Task A_file_without_a_size_is_read()
    {
        if (OperatingSystem.IsLinux())
        {
            await using FilePipeReader reader = Mapping.Open("/proc/self/status");
            Assert.Equal(ReadStrategy.Buffered, reader.Strategy);
            Assert.NotEmpty(await reader.ReadToEndAsync());
        }
    }

    [Fact]
    public async Task A_file_system_that_others_change_is_read()
    {
        // A file of the kernel with a size: sysfs is not among the file systems whose writers all come by here.
        const string Path = "/sys/kernel/mm/transparent_hugepage/enabled";
        if (File.Exists(Path) && Mapping.Possible)
        {
            await using FilePipeReader reader = Mapping.Open(Path);
            Assert.Equal(
                "mapping was asked for, but its file system can change it without this system knowing",
                reader.StrategyReason);
        }
    }

    [MappedFact]
    public async Task A_switch_turns_mapping_off()
    {
        using ChildProcess child = ChildProcess.StartAfter("export MILLRACE_NO_MAPPING=1", "strategy", TestFolder.SharedFile(Size));

        Assert.Equal(
            "Buffered: mapping was asked for, but it is switched off for this process", await child.ReadLineAsync());
        Assert.Equal(0, await child.EndAsync());
    }

    [MappedFact(Need.Root)]
    public void A_file_of_another_user_is_read()
    {
        string path = TestFolder.NewFile(Size);
        Shell.Run("chown", "65534", path);
        string? reason = null;
        var thread = new Thread(
            () =>
            {
                Privileges.DropLeases();
                using FilePipeReader reader = Mapping.Open(path);
                reason = reader.StrategyReason;
            });
        thread.Start();
        thread.Join();

        Assert.Equal("mapping was asked for, but only the owner of a file gets a lease on it", reason);
    }

    private static FileReadOptions Mapped => new() { Strategy = ReadStrategy.Mapped };

    [SuppressMessage("Reliability", "CA2000", Justification = "Disposed here.")]
    private static async Task AssertReadAsync(FilePipeReader reader, string obstacle, int size = Size)
    {
        await using (reader)
        {
            Assert.Equal(ReadStrategy.Buffered, reader.Strategy);
            if (Mapping.Possible)
            {
                Assert.Equal("mapping was asked for, but " + obstacle, reader.StrategyReason);
            }

            await reader.AssertRestAsync(0, size);
        }
    }
}
