using Millrace.Cli.Tests;

namespace Millrace.Lab.Cli.Tests;

public sealed class CommandLineTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("millrace-cli-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Version_is_printed_alone()
    {
        (int exitCode, string output, string error) = await Command.RunAsync(_folder, "--version");
        Assert.Equal(0, exitCode);
        Assert.Matches(@"^\d+\.\d+\.\d+\s*$", output);
        Assert.Empty(error);
    }

    [Fact]
    public async Task Help_of_the_suite_names_every_option_and_exit_code()
    {
        (int exitCode, string output, _) = await Command.RunAsync(_folder, "files", "--help");
        Assert.Equal(0, exitCode);
        Assert.Contains("millrace lab files [options]", output, StringComparison.Ordinal);
        string[] expected =
            ["--quick", "--full", "--file <PATH>", "--out <DIR>", "--filter <GLOB>", "--data <DIR>", "--seed <N>", "Exit codes:", "130"];
        Assert.All(expected, text => Assert.Contains(text, output, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("nothing")]
    [InlineData("files", "--quick", "--full")]
    [InlineData("files", "--seed", "x")]
    [InlineData("files", "--unknown")]
    [InlineData]
    public async Task Wrong_arguments_are_named_and_nothing_is_measured(params string[] arguments)
    {
        (int exitCode, _, string error) = await Command.RunAsync(_folder, arguments);
        Assert.Equal(1, exitCode);
        Assert.NotEmpty(error);
        Assert.Empty(Directory.GetFileSystemEntries(_folder));
    }

    [Fact]
    public async Task Missing_file_is_named_in_one_line_with_what_to_do()
    {
        (int exitCode, _, string error) = await Command.RunAsync(
            _folder, "files", "--file", "missing.bin", "--data", "data");
        Assert.Equal(1, exitCode);
        string line = Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries), text =>
            text.StartsWith("millrace lab files:", StringComparison.Ordinal));
        Assert.Contains("missing.bin", line, StringComparison.Ordinal);
        Assert.Contains("--file", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Unusable_output_folder_is_reported_before_measuring()
    {
        string blocked = Path.Combine(_folder, "blocked");
        await File.WriteAllTextAsync(blocked, "a file and no folder");
        (int exitCode, _, string error) = await Command.RunAsync(_folder, "files", "--out", blocked);
        Assert.Equal(1, exitCode);
        Assert.Contains("--out", error, StringComparison.Ordinal);
    }
}
