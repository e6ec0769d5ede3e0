namespace Millrace.Lab.Cli.Tests;

public sealed class LabHistoryTests : CommandTest
{
    public LabHistoryTests()
    {
        StoredRunFiles.Write(Folder.Path, "third", pipe: 1.3, day: 3);
        StoredRunFiles.Write(Folder.Path, "first", day: 1);
        StoredRunFiles.Write(Folder.Path, "second", day: 2);
        StoredRunFiles.Write(
            Folder.Path, "elsewhere", day: 2, change: run => run with { Machine = run.Machine with { Cores = 64 } });
    }

    [Fact]
    public async Task Overview_shows_runs_by_machine_and_time_with_their_findings()
    {
        string output = await PrintAsync("history", ".");
        int first = output.IndexOf("day 1.", StringComparison.Ordinal);
        int third = output.IndexOf("day 3.", StringComparison.Ordinal);
        Assert.InRange(first, 0, third);
        Assert.Contains("3 slower", output, StringComparison.Ordinal);
        Assert.Contains("64 cores", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Case_is_shown_per_run_with_the_verdict_against_the_previous_run()
    {
        string output = await PrintAsync("history", ".", "--case", "FilePipe/*/4096/*", "--json");
        using var document = JsonDocument.Parse(output);
        JsonElement machine = document.RootElement.GetProperty("machines").EnumerateArray()
            .Single(one => one.GetProperty("runs").GetArrayLength() == 3);
        JsonElement[] points =
            [.. Assert.Single(machine.GetProperty("cases").EnumerateArray()).GetProperty("points").EnumerateArray()];
        Assert.Equal(3, points.Length);
        Assert.False(points[0].TryGetProperty("verdict", out _));
        Assert.NotEqual("slower", points[1].GetProperty("verdict").GetProperty("verdict").GetString());
        Assert.Equal("slower", points[2].GetProperty("verdict").GetProperty("verdict").GetString());
        Assert.InRange(points[2].GetProperty("median").GetDouble(), 6.4e6, 6.6e6);

        (_, string table, _) = await RunAsync("history", ".", "--case", "FilePipe/*/4096/*");
        Assert.Contains("####", table, StringComparison.Ordinal);
        Assert.Contains("6.5", table, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Files_that_cannot_be_used_are_named_and_the_rest_is_shown()
    {
        await File.WriteAllTextAsync(Folder["odd.json"], "{\"a\": ");
        (int exitCode, string output, string error) = await RunAsync("history", ".");
        Assert.Equal(0, exitCode);
        Assert.Contains("odd.json is damaged", error, StringComparison.Ordinal);
        Assert.Contains("day 1.", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Folder_without_results_returns_4_and_an_unknown_metric_1()
    {
        string empty = Directory.CreateDirectory(Folder["empty"]).FullName;
        string error = await FailAsync(4, "history", empty);
        Assert.Contains("holds no results.json", error, StringComparison.Ordinal);
        Assert.Equal(1, (await RunAsync("history", ".", "--metric", "speed")).ExitCode);
    }
}
