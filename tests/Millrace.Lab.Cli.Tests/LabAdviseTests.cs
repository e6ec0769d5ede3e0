using System.Text.Json;
using Millrace.Cli.Tests;

namespace Millrace.Lab.Cli.Tests;

/// <summary>`millrace lab advise` on the committed results.</summary>
public sealed class LabAdviseTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("millrace-advise-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("")]
    [InlineData("results.json")]
    public async Task Advice_is_printed_for_a_folder_and_for_a_file(string name)
    {
        (int exitCode, string output, string error) = await Command.RunAsync(
            _folder, "advise", Path.Combine(StoredRunFiles.CommittedFiles, name));
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Contains("DOES NOT HOLD: There is no need for file pipes", output, StringComparison.Ordinal);
        Assert.Contains("again: millrace lab files --", output, StringComparison.Ordinal);
        Assert.DoesNotContain('\u001b', output);
    }

    [Fact]
    public async Task Json_is_nothing_but_json()
    {
        (int exitCode, string output, string error) = await Command.RunAsync(_folder, "advise", StoredRunFiles.CommittedFiles, "--json");
        Assert.Equal((0, ""), (exitCode, error));
        using JsonDocument json = JsonDocument.Parse(output);
        Assert.NotEmpty(json.RootElement.GetProperty("advice").EnumerateArray());
    }

    [Fact]
    public async Task Missing_file_is_named_in_one_line()
    {
        (int exitCode, string output, string error) = await Command.RunAsync(_folder, "advise", "missing");
        Assert.Equal((1, ""), (exitCode, output));
        string line = Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.StartsWith("millrace lab advise: missing does not exist", line, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{", "is damaged")]
    [InlineData("{}", "is no results file")]
    public async Task Damaged_file_is_named_with_what_is_wrong(string content, string expected)
    {
        await File.WriteAllTextAsync(Path.Combine(_folder, "results.json"), content);
        (int exitCode, _, string error) = await Command.RunAsync(_folder, "advise", _folder);
        Assert.Equal(1, exitCode);
        Assert.StartsWith("millrace lab advise: ", error, StringComparison.Ordinal);
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_names_the_argument_the_option_and_the_exit_codes()
    {
        (int exitCode, string output, _) = await Command.RunAsync(_folder, "advise", "--help");
        Assert.Equal(0, exitCode);
        Assert.All(
            new[] { "<RESULTS>", "--json", "Exit codes:" }, text => Assert.Contains(text, output, StringComparison.Ordinal));
    }
}
