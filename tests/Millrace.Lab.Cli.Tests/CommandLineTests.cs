namespace Millrace.Lab.Cli.Tests;

public sealed class CommandLineTests : CommandTest
{
    [Fact]
    public async Task Version_is_printed_alone()
    {
        (int exitCode, string output, string error) = await RunAsync("--version");
        Assert.Equal(0, exitCode);
        Assert.Matches(@"^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?\s*$", output);
        Assert.Empty(error);
    }

    [Fact]
    public async Task Help_of_the_suite_names_every_option_and_exit_code()
    {
        string output = await PrintAsync("files", "--help");
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
        string error = await FailAsync(1, arguments);
        Assert.NotEmpty(error);
        Assert.Empty(Directory.GetFileSystemEntries(Folder.Path));
    }

    [Fact]
    public async Task Missing_file_is_named_in_one_line_with_what_to_do()
    {
        string error = await FailAsync(1, "files", "--file", "missing.bin", "--data", "data");
        string line = Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries), text =>
            text.StartsWith("millrace lab files:", StringComparison.Ordinal));
        Assert.Contains("missing.bin", line, StringComparison.Ordinal);
        Assert.Contains("--file", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Unusable_output_folder_is_reported_before_measuring()
    {
        string blocked = Folder["blocked"];
        await File.WriteAllTextAsync(blocked, "a file and no folder");
        string error = await FailAsync(1, "files", "--out", blocked);
        Assert.Contains("--out", error, StringComparison.Ordinal);
    }
}
