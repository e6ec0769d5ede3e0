using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace scrub`, and `millrace serve --scrub`.</summary>
public sealed class ScrubCommandTests : CommandTests
{
    [Fact]
    public async Task Intact_folder_is_read_and_gets_digests()
    {
        Folder.Write("served/a", "content"u8.ToArray());
        Folder.Write("served/folder/b", "more"u8.ToArray());

        Assert.StartsWith("The files of ", await SucceedAsync("scrub", Folder["served"], "--list"), StringComparison.Ordinal);
        Assert.StartsWith("2 files (11 B) checked: no file is damaged.", await SucceedAsync("scrub", Folder["served"]), StringComparison.Ordinal);
        Assert.StartsWith("Until ", await SucceedAsync("scrub", Folder["served"], "--list"), StringComparison.Ordinal);
        JsonElement line = await RunJsonAsync("scrub", Folder["served"], "--limit-rate", "1G");
        Assert.Equal((2, 11, 0), (line.GetProperty("files").GetInt64(), line.GetProperty("bytes").GetInt64(), line.GetProperty("damaged").GetInt32()));
    }

    [Fact]
    public async Task Folder_of_a_running_server_is_refused_and_listed()
    {
        using ServedCommand serve = await ServeAsync("served", "--scrub", "30d");
        string error = await FailAsync("scrub", Folder["served"]);
        Assert.Contains("A running server uses the folder", error, StringComparison.Ordinal);
        Assert.Contains("--list", error, StringComparison.Ordinal);
        await SucceedAsync("scrub", Folder["served"], "--list");
        Assert.True((await RunJsonAsync("health", $"http://127.0.0.1:{serve.Port}", "--timeout", "5m")).TryGetProperty("scrub", out _));
    }

    [Theory]
    [InlineData("10s", "too short")]
    [InlineData("often", "not a valid duration")]
    public async Task Other_periods_are_refused(string period, string problem) =>
        Assert.Contains(problem, await FailAsync("serve", Folder.Path, "--scrub", period), StringComparison.Ordinal);

    [Fact]
    public async Task Folder_that_does_not_exist_is_refused() =>
        Assert.Contains("does not exist", await FailAsync("scrub", Folder["none"]), StringComparison.Ordinal);
}
