using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>`millrace mv` and `millrace mkdir`.</summary>
public sealed class MoveTests : CommandTests
{
    [Theory]
    [InlineData("http1")]
    [InlineData("grpc")]
    public async Task Files_and_folders_move_and_keep_what_is_there(string protocol)
    {
        Write("served/a b.bin", 10, seed: 1);
        Write("served/two.bin", 20, seed: 2);
        Write("served/photos/one.jpg", 30, seed: 3);
        using ServedCommand server = await ServeAsync("served");

        await SucceedAsync("mkdir", server.Files + "2026", "--via", protocol);
        Assert.Equal(
            $"Moved {server.Files}a%20b.bin to {server.Files}2026/a%20b.bin.\nMoved {server.Files}photos to {server.Files}2026/photos.\n",
            await SucceedAsync("mv", server.Files + "a%20b.bin", server.Files + "photos/", server.Files + "2026/", "--via", protocol));
        Assert.True(File.Exists(Folder["served/2026/photos/one.jpg"]));
        string error = await FailAsync("mv", server.Files + "two.bin", server.Files + "2026/a%20b.bin", "--via", protocol);
        Assert.Contains("has the name", error, StringComparison.Ordinal);
        Assert.Equal(10, new FileInfo(Folder["served/2026/a b.bin"]).Length);
        JsonElement line = await RunJsonAsync("mv", server.Files + "two.bin", server.Files + "2026/a%20b.bin", "--replace", "--via", protocol);
        Assert.Equal((server.Files + "two.bin", "two.bin", server.Files + "2026/a%20b.bin"), (Text(line, "url"), Text(line, "name"), Text(line, "to")));
        Assert.Equal(20, new FileInfo(Folder["served/2026/a b.bin"]).Length);
        Assert.False(File.Exists(Folder["served/two.bin"]));
    }

    [Fact]
    public async Task Move_reports_each_failure_and_moves_the_others()
    {
        Write("served/one.bin", 1);
        Directory.CreateDirectory(Folder["served/sub"]);
        using ServedCommand server = await ServeAsync("served");

        (int exitCode, string output, string error) = await RunAsync("mv", server.Files + "missing", server.Files + "one.bin", server.Files + "sub/");
        Assert.Equal((1, $"Moved {server.Files}one.bin to {server.Files}sub/one.bin.\n"), (exitCode, output));
        Assert.Contains("missing", error, StringComparison.Ordinal);
        Assert.Contains("put a slash at its end", await FailAsync("mv", server.Files + "a", server.Files + "b", server.Files + "sub"), StringComparison.Ordinal);
        Assert.Contains("different servers", await FailAsync("mv", server.Files + "sub/one.bin", "http://127.0.0.1:1/files/x", "--attempts", "1"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Folders_are_made_with_those_above_them_on_request()
    {
        Write("served/file", 1);
        using ServedCommand server = await ServeAsync("served");

        Assert.Contains("'a/b", await FailAsync("mkdir", server.Files + "a/b/c"), StringComparison.Ordinal);
        Assert.Equal($"Made {server.Files}a/b/c/.\n", await SucceedAsync("mkdir", "--parents", server.Files + "a/b/c"));
        Assert.True(Directory.Exists(Folder["served/a/b/c"]));
        Assert.Equal($"Made {server.Files}a/b/c/.\n", await SucceedAsync("mkdir", "-p", server.Files + "a/b/c/"));
        Assert.Contains("has the name", await FailAsync("mkdir", server.Files + "a"), StringComparison.Ordinal);
        Assert.Contains("file", await FailAsync("mkdir", "-p", server.Files + "file"), StringComparison.Ordinal);
    }

    private static string? Text(JsonElement line, string name) => line.GetProperty(name).GetString();
}
