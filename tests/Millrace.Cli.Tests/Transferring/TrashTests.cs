using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>`millrace trash`.</summary>
public sealed class TrashTests : CommandTests
{
    [Fact]
    public async Task Deleted_files_are_listed_restored_and_deleted_for_good()
    {
        Write("served/sub/a b.bin", 10, seed: 1);
        Write("served/two.bin", 20, seed: 2);
        using ServedCommand server = await ServeAsync("served", "--trash", "1h");
        await SucceedAsync("rm", server.Files + "sub/a%20b.bin", server.Files + "two.bin");
        string[] lines = (await SucceedAsync("trash", "list", server.Files)).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(2, lines.Length);
        Assert.Equal($"Restored {server.Files}sub/a%20b.bin.\n", await SucceedAsync("trash", "restore", server.Files + "sub/a%20b.bin"));
        Assert.Equal(10, new FileInfo(Folder["served/sub/a b.bin"]).Length);
        JsonElement line = await RunJsonAsync("trash", "list", server.Files);
        Assert.Equal(("two.bin", 20), (line.GetProperty("name").GetString(), line.GetProperty("length").GetInt64()));
        string id = line.GetProperty("id").GetString()!;
        Assert.Equal(
            $"Restored {server.Files}back/two.bin.\n",
            await SucceedAsync("trash", "restore", server.Files, "--id", id, "--as", "back/two.bin"));
        Assert.Contains("There is no 'two.bin' in the trash", await FailAsync("trash", "restore", server.Files + "two.bin"), StringComparison.Ordinal);
        await SucceedAsync("rm", server.Files + "back/two.bin");
        Assert.Equal("Deleted 0 entries of the trash for good.\n", await SucceedAsync("trash", "empty", server.Files, "--older", "1h"));
        Assert.Equal("Deleted 1 entry of the trash for good.\n", await SucceedAsync("trash", "empty", server.Files));
    }

    [Fact]
    public async Task Server_without_a_trash_is_named()
    {
        Write("served/a", 10);
        using ServedCommand server = await ServeAsync("served");
        Assert.Contains("--trash", await FailAsync("trash", "list", server.Files), StringComparison.Ordinal);
    }
}
