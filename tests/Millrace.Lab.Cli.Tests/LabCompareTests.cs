namespace Millrace.Lab.Cli.Tests;

public sealed class LabCompareTests : CommandTest
{
    [Fact]
    public async Task Nothing_slower_returns_0_though_the_machine_was_slower()
    {
        StoredRunFiles.Write(Folder.Path, "a");
        StoredRunFiles.Write(Folder.Path, "b", machine: 1.3);
        (int exitCode, string output, string error) = await RunAsync("compare", "a", "b");
        Assert.True(exitCode == 0, output + error);
        Assert.Contains("The same machine: compared by time, less the machine's drift.", output, StringComparison.Ordinal);
        Assert.Contains("took 1.30 times as long", output, StringComparison.Ordinal);
        Assert.StartsWith("Nothing became faster or slower: of 6 cases, 6 show no difference.", output.TrimStart(), StringComparison.Ordinal);
        Assert.Contains("Every case with --all.", output, StringComparison.Ordinal);
        Assert.DoesNotContain("Verdict", output, StringComparison.Ordinal);
        Assert.Empty(error);
    }

    [Fact]
    public async Task Something_slower_returns_2_and_is_named()
    {
        StoredRunFiles.Write(Folder.Path, "a");
        StoredRunFiles.Write(Folder.Path, "b", pipe: 1.3);
        (int exitCode, string output, _) = await RunAsync("compare", "a", Path.Combine("b", "results.json"));
        Assert.Equal(2, exitCode);
        Assert.Contains("Of 6 cases, 3 are slower (1.", output, StringComparison.Ordinal);
        (int back, string turned, _) = await RunAsync("compare", "b", "a");
        Assert.Equal(0, back);
        Assert.Contains("Of 6 cases, 3 are faster (0.", turned, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Changed_cases_come_first_and_the_others_with_all()
    {
        StoredRunFiles.Write(Folder.Path, "a");
        StoredRunFiles.Write(Folder.Path, "b", pipe: 1.3);
        string[] Rows(string output) => [.. output.Split('\n').Where(line => line.TrimStart().StartsWith("File", StringComparison.Ordinal) && !line.Contains("times;", StringComparison.Ordinal))];

        string[] changed = Rows((await RunAsync("compare", "a", "b")).Output);
        Assert.Equal(3, changed.Length);
        Assert.All(changed, row => Assert.Contains("slower", row, StringComparison.Ordinal));
        string[] all = Rows((await RunAsync("compare", "a", "b", "--all")).Output);
        Assert.Equal(6, all.Length);
        Assert.Equal(["FilePipe", "FilePipe", "FilePipe"], all[..3].Select(row => row.TrimStart().Split(' ')[0]));
    }

    [Fact]
    public async Task By_time_the_machine_counts()
    {
        StoredRunFiles.Write(Folder.Path, "a");
        StoredRunFiles.Write(Folder.Path, "b", machine: 1.3);
        (int exitCode, string output, _) = await RunAsync("compare", "a", "b", "--by", "time");
        Assert.Equal(2, exitCode);
        Assert.Contains("Of 6 cases, 6 are slower", output, StringComparison.Ordinal);
        Assert.Contains("probably the machine", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Another_machine_is_compared_by_ratio_and_rank()
    {
        StoredRunFiles.Write(Folder.Path, "a");
        StoredRunFiles.Write(
            Folder.Path, "b", pipe: 4, machine: 9, change: run => run with { Machine = run.Machine with { Cpu = "Another processor" } });
        (int exitCode, string output, _) = await RunAsync("compare", "a", "b");
        Assert.Equal(2, exitCode);
        Assert.Contains("Another machine: compared by ratio to the baseline, and by rank.", output, StringComparison.Ordinal);
        Assert.Contains("cpu: A processor / Another processor", output, StringComparison.Ordinal);
        Assert.Contains("1 to 2", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_launch_cannot_be_compared_and_returns_4()
    {
        StoredRunFiles.Write(Folder.Path, "a", launches: 1);
        StoredRunFiles.Write(Folder.Path, "b", launches: 1);
        (int exitCode, string output, string error) = await RunAsync("compare", "a", "b");
        Assert.Equal(4, exitCode);
        Assert.Contains("1 launch in the reference; 3 are needed", error, StringComparison.Ordinal);
        Assert.Contains("No verdict: 6 have too little data.", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Damaged_file_is_named_and_the_others_are_compared()
    {
        StoredRunFiles.Write(Folder.Path, "a");
        StoredRunFiles.Write(Folder.Path, "c");
        await File.WriteAllTextAsync(Folder["b.json"], "{\"schema\": \"millrace.results/1\", \"suite\": 5");
        (int exitCode, string output, string error) = await RunAsync("compare", "a", "b.json", "c");
        Assert.Equal(4, exitCode);
        Assert.Contains("b.json is damaged", error, StringComparison.Ordinal);
        Assert.Contains("Nothing became faster or slower", output, StringComparison.Ordinal);

        StoredRunFiles.Write(Folder.Path, "d", pipe: 1.3);
        Assert.Equal(2, (await RunAsync("compare", "a", "b.json", "d")).ExitCode);
    }

    [Fact]
    public async Task Suites_are_found_in_folders_of_their_own_and_have_to_be_the_same()
    {
        StoredRunFiles.Write(Folder.Path, Path.Combine("a", "files"));
        StoredRunFiles.Write(Folder.Path, Path.Combine("b", "files"), pipe: 1.3);
        Assert.Equal(2, (await RunAsync("compare", "a", "b")).ExitCode);

        StoredRunFiles.Write(Folder.Path, "c", change: run => run with { Suite = "records" });
        string error = await FailAsync(4, "compare", "a", "c");
        Assert.Contains("no suite in common: files and records", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Json_has_the_same_with_reasons_and_filters_select()
    {
        StoredRunFiles.Write(Folder.Path, "a");
        StoredRunFiles.Write(Folder.Path, "b", pipe: 1.3);
        (int exitCode, string output, _) = await RunAsync("compare", "a", "b", "--json", "--filter", "FilePipe/*/4096/*");
        Assert.Equal(2, exitCode);
        using var document = JsonDocument.Parse(output);
        Assert.Equal(2, document.RootElement.GetProperty("exitCode").GetInt32());
        JsonElement comparison = Assert.Single(document.RootElement.GetProperty("comparisons").EnumerateArray());
        JsonElement item = Assert.Single(comparison.GetProperty("cases").EnumerateArray());
        Assert.Equal("FilePipe", item.GetProperty("method").GetString());
        Assert.Equal("slower", item.GetProperty("verdict").GetProperty("verdict").GetString());
        Assert.False(item.GetProperty("verdict").GetProperty("better").GetBoolean());
        Assert.Equal("slower", item.GetProperty("againstBaseline").GetProperty("verdict").GetString());
        Assert.Contains(item.GetProperty("others").EnumerateArray(), one => one.GetProperty("metric").GetString() == "allocatedBytes");
    }

    [Theory]
    [InlineData("a")]
    [InlineData("a", "a", "--by", "rank")]
    [InlineData("a", "a", "--metric", "speed")]
    public async Task Wrong_arguments_return_1(params string[] arguments)
    {
        StoredRunFiles.Write(Folder.Path, "a");
        string error = await FailAsync(1, ["compare", .. arguments]);
        Assert.NotEmpty(error);
    }

    [Fact]
    public async Task Help_lists_options_and_exit_codes()
    {
        string output = await PrintAsync("compare", "--help");
        string[] expected =
            ["--by", "--null", "--metric", "--filter", "--all", "--json", "Exit codes:", "2    something is slower", "4    cannot compare"];
        Assert.All(expected, text => Assert.Contains(text, output, StringComparison.Ordinal));
    }
}
