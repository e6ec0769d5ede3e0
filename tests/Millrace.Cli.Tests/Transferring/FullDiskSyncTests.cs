using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Syncs whose disk fills up: whole files only, an error that says what to do, and the same command goes on when there is room.</summary>
[Trait("Tier", "All")]
public sealed class FullDiskSyncTests : CommandTests
{
    private const int FileBytes = 6_000_000;

    [NeedsTheory(Need.Mount)]
    [InlineData("up", false)]
    [InlineData("up", true)]
    [InlineData("down", false)]
    [InlineData("down", true)]
    [InlineData("copy", false)]
    public async Task Sync_to_a_full_disk_leaves_whole_files_and_goes_on_when_there_is_room(string direction, bool isAtomic)
    {
        using MountedDisk disk = MountedDisk.InMemory(16 << 20, Folder["small"]);
        string source = direction == "down" ? "served/source" : "source";
        for (int i = 0; i < 4; i++)
        {
            Write($"{source}/{i}", FileBytes, i);
            LocalTime.Set(Folder[$"{source}/{i}"], new FileTime(1_000_000 + i, 1));
        }

        Write("small/target/0", 100_000, 9);
        Write("small/target/1", 100_000, 10);
        SortedDictionary<string, (string, FileTime)> before = FilesOf("small/target");
        SortedDictionary<string, (string, FileTime)> after = FilesOf(source);
        using ServedCommand? server = direction == "copy" ? null : await ServeAsync(direction == "up" ? "small" : "served", "--leave-free", "0");
        string[] arguments =
        [
            "sync", .. isAtomic ? ["--atomic"] : (string[])[], "--attempts", "2",
            direction == "down" ? server!.Files + "source/" : source,
            direction == "up" ? server!.Files + "target/" : "small/target",
        ];

        string error = await FailAsync(arguments);
        Assert.True(error.Contains("no space is left on", StringComparison.Ordinal) || error.Contains("The store is too full", StringComparison.Ordinal), error);
        Assert.Contains("The same command goes on when there is space.", error, StringComparison.Ordinal);
        SortedDictionary<string, (string, FileTime)> full = FilesOf("small/target");
        Assert.All(full, file => Assert.True(
            file.Value == after[file.Key] || (before.TryGetValue(file.Key, out (string, FileTime) old) && file.Value == old), $"'{file.Key}' is torn."));
        Assert.All(before.Keys, name => Assert.True(full.ContainsKey(name), $"'{name}' is missing."));
        if (isAtomic)
        {
            Assert.Equal(before, full);
        }

        disk.Resize(64 << 20);
        await SucceedAsync(arguments);
        Assert.Equal(after, FilesOf("small/target"));
    }
}
