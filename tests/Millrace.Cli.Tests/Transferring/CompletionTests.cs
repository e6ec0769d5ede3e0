using System.Diagnostics;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Tab in bash, with the script and the command as they are.</summary>
public sealed class CompletionTests : CommandTests
{
    public CompletionTests() => File.WriteAllText(Folder["data.csv"], "x");

    [NeedsTheory(Need.Bash)]
    [InlineData("millrace pu", "put")]
    [InlineData("millrace put --via ht", "http1 http2")]
    [InlineData("millrace put --via=ht", "http1 http2")]
    [InlineData("millrace get --via gr", "grpc grpc-web grpc-web-text")]
    [InlineData("millrace put --no-", "--no-cache --no-continue --no-times --no-verify")]
    [InlineData("millrace completion ", "bash fish zsh")]
    public async Task Commands_options_and_values_are_completed_in_bash(string line, string expected) =>
        Assert.Equal(expected, string.Join(' ', (await CompleteAsync(line)).Order(StringComparer.Ordinal)));

    [NeedsTheory(Need.Bash)]
    [InlineData("millrace put ")]
    [InlineData("millrace put da")]
    [InlineData("millrace put --token-file da")]
    public async Task File_names_are_left_to_bash(string line) => Assert.Empty(await CompleteAsync(line));

    [Theory]
    [InlineData("bash", "complete -o default -F _millrace millrace")]
    [InlineData("zsh", "#compdef millrace")]
    [InlineData("fish", "complete -c millrace")]
    public async Task There_is_a_script_for_every_shell(string shell, string expected)
    {
        (int exitCode, string output, string error) = await RunAsync("completion", shell);

        Assert.Equal((0, ""), (exitCode, error));
        Assert.Contains(expected, output, StringComparison.Ordinal);
        Assert.DoesNotContain('\r', output);
    }

    [Fact]
    public async Task Unknown_shell_is_rejected_with_the_known_ones()
    {
        string error = await FailAsync("completion", "tcsh");
        Assert.Contains("bash", error, StringComparison.Ordinal);
    }

    private async Task<string[]> CompleteAsync(string line)
    {
        string dll = Path.Combine(AppContext.BaseDirectory, "Millrace.Cli.dll");
        string script = $$"""
            millrace() { dotnet '{{dll}}' "$@"; }
            eval "$(millrace completion bash)"
            [[ "$(complete -p millrace)" == *"-o default"* ]] || exit 9
            COMP_LINE={{Quote(line)}} COMP_POINT={{line.Length}} COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
            _millrace millrace
            printf '%s\n' "${COMPREPLY[@]}"
            """;
        var start = new ProcessStartInfo("bash")
        {
            WorkingDirectory = Folder.Path,
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            ArgumentList = { "--norc", "-c", script },
        };
        using Process process = Process.Start(start)!;
        (int exitCode, string output, string error) = await EndAsync(process);
        Assert.True(exitCode == 0, error);
        return output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    private static string Quote(string text) => $"'{text}'";
}
