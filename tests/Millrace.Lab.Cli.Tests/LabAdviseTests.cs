using System.Text;

namespace Millrace.Lab.Cli.Tests;

public sealed class LabAdviseTests : CommandTest
{
    [Theory]
    [InlineData("")]
    [InlineData(ResultsFile.PackedName)]
    public async Task Advice_is_printed_for_a_folder_and_for_a_file(string name)
    {
        (int exitCode, string output, string error) = await RunAsync("advise", Path.Combine(StoredRunFiles.CommittedFiles, name));
        Assert.Equal((0, ""), (exitCode, error));
        Assert.StartsWith("Reading 128 MiB with buffers of 4 KiB, FilePipe is 2.2 times as fast as", output, StringComparison.Ordinal);
        string words = string.Join(' ', output.Split((char[])[' ', '\n'], StringSplitOptions.RemoveEmptyEntries));
        Assert.Contains("WARNING: The machine was busy", words, StringComparison.Ordinal);
        Assert.Contains("WARNING: The last-level cache (260 MiB) holds the whole file (4 MiB, 128 MiB)", words, StringComparison.Ordinal);
        Assert.Contains("Not confirmed here: - ReadAsync of a FileStream is always slower", words, StringComparison.Ordinal);
        Assert.DoesNotContain("millrace lab files --", output, StringComparison.Ordinal);
        Assert.DoesNotContain('\u001b', output);
    }

    [Fact]
    public async Task Verbose_adds_the_evidence_and_what_checks_it()
    {
        string output = await PrintAsync("advise", StoredRunFiles.CommittedFiles, "--verbose");
        Assert.Contains("NOT CONFIRMED: There is no need for file pipes", output, StringComparison.Ordinal);
        Assert.Contains("to check: millrace lab files --", output, StringComparison.Ordinal);
        Assert.True(output.Length > 2 * (await PrintAsync("advise", StoredRunFiles.CommittedFiles)).Length);
    }

    [Fact]
    public async Task Json_is_nothing_but_json()
    {
        (int exitCode, string output, string error) = await RunAsync("advise", StoredRunFiles.CommittedFiles, "--json");
        Assert.Equal((0, ""), (exitCode, error));
        using JsonDocument json = JsonDocument.Parse(output);
        Assert.NotEmpty(json.RootElement.GetProperty("advice").EnumerateArray());
    }

    [Fact]
    public async Task Json_of_several_machines_begins_with_what_depends_on_the_machine()
    {
        string here = StoredRunFiles.Write(Folder.Path, "here", pipe: 0.5);
        string there = StoredRunFiles.Write(
            Folder.Path, "there", pipe: 4, change: run => run with { Machine = run.Machine with { Cpu = "Other processor" } });
        using var output = new MemoryStream(Encoding.UTF8.GetBytes(await PrintAsync("advise", here, there, "--json")));
        JsonElement[] documents = await JsonSerializer.DeserializeAsyncEnumerable<JsonElement>(output, topLevelValues: true).ToArrayAsync();
        JsonElement files = Assert.Single(documents[0].GetProperty("machines").EnumerateArray());
        Assert.Equal("files", files.GetProperty("suite").GetString());
        string change = Assert.Single(files.GetProperty("changes").EnumerateArray()).GetString()!;
        Assert.Contains("FilePipe on ", change, StringComparison.Ordinal);
        Assert.Contains("FileStreamSync on Other processor", change, StringComparison.Ordinal);
        Assert.Equal(
            [false, true],
            documents[1..].Select(run => run.GetProperty("machine").GetString()!.Contains("Other processor", StringComparison.Ordinal)));
        Assert.All(documents[1..], run => Assert.NotEmpty(run.GetProperty("advice").EnumerateArray()));
    }

    [Fact]
    public async Task Missing_file_is_named_in_one_line()
    {
        (int exitCode, string output, string error) = await RunAsync("advise", "missing");
        Assert.Equal((1, ""), (exitCode, output));
        string line = Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.StartsWith("millrace lab advise: missing does not exist", line, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{", "is damaged")]
    [InlineData("{}", "is not a results file")]
    public async Task Damaged_file_is_named_with_what_is_wrong(string content, string expected)
    {
        await File.WriteAllTextAsync(Folder["results.json"], content);
        string error = await FailAsync(1, "advise", Folder.Path);
        Assert.StartsWith("millrace lab advise: ", error, StringComparison.Ordinal);
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_names_the_argument_the_option_and_the_exit_codes()
    {
        string output = await PrintAsync("advise", "--help");
        Assert.All(
            new[] { "<RESULTS>", "--verbose", "--json", "Exit codes:" }, text => Assert.Contains(text, output, StringComparison.Ordinal));
    }
}
