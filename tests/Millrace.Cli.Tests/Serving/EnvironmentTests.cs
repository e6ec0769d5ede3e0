using System.CommandLine;
using System.Diagnostics;
using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>Environment variables as options of `millrace serve`.</summary>
public sealed class EnvironmentTests : CommandTests
{
    public EnvironmentTests()
    {
        IsHosted = false;
        Directory.CreateDirectory(Folder["share"]);
    }

    [Fact]
    public async Task Variables_set_options_and_the_command_line_wins()
    {
        Process process = Start(
            ["serve", "--json", "--host-name", "only.example.org", "--port", "0"],
            variables:
            [
                ("MILLRACE_PORT", "1"), ("MILLRACE_FOLDER", "share"), ("MILLRACE_HOST_NAME", "a.example.org"), ("MILLRACE_PATH_BASE", "/below"), ("MILLRACE_GRACE", ""),
                ("MILLRACE_QUIET", "yes"), ("MILLRACE_TRANSPORT", "Kestrel"), ("MILLRACE_H2_PORT", "none"),
            ]);
        string line = await process.StandardOutput.ReadLineAsync().WaitAsync(TimeSpan.FromMinutes(2)) ?? await process.StandardError.ReadToEndAsync();
        JsonElement ready = JsonDocument.Parse(line).RootElement;

        Assert.Equal(Folder["share"], ready.GetProperty("folder").GetString());
        Assert.EndsWith("/below/files/", ready.GetProperty("files").GetString(), StringComparison.Ordinal);
        Assert.False(ready.TryGetProperty("http2", out _));
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(HttpMethod.Get, ready.GetProperty("files").GetString()) { Headers = { Host = "a.example.org" } };
        using HttpResponseMessage response = await client.SendAsync(request);
        Assert.Equal(421, (int)response.StatusCode);
        Command.Signal(process, Command.Terminate);
        Assert.DoesNotContain("Information", await process.StandardError.ReadToEndAsync().WaitAsync(TimeSpan.FromMinutes(2)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("MILLRACE_PORT", "x", "--port comes from the environment variable MILLRACE_PORT.")]
    [InlineData("MILLRACE_PORT", "x", "--port: 'x' is not a valid port")]
    [InlineData("MILLRACE_INSECURE", "maybe", "MILLRACE_INSECURE: 'maybe' is neither true nor false.")]
    [InlineData("MILLRACE_TRUSTED_PROXY", "10.0.0.1, nowhere", "'nowhere' is not a valid address")]
    [InlineData("MILLRACE_FOLDER", "missing", "Folder 'missing' does not exist")]
    public async Task Invalid_variables_are_named(string variable, string value, string expected)
    {
        (int exitCode, string output, string error) = await EndAsync(Start(["serve"], variables: [(variable, value)]));

        Assert.Equal((1, ""), (exitCode, output));
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Unknown_variables_are_warned_about_and_those_of_others_are_not()
    {
        (int exitCode, _, string error) = await EndAsync(Start(
            ["serve", "missing"], variables: [("MILLRACE_PROT", "8"), ("MILLRACE_PORTABLE", "1"), ("MILLRACE_TOKEN", "x"), ("MILLRACE_OPTIONS", "--port 1")]));

        Assert.Equal(1, exitCode);
        Assert.StartsWith("millrace serve: warning: the environment variable MILLRACE_PROT is unknown and has no effect. Did you mean MILLRACE_PORT?\n", error, StringComparison.Ordinal);
        Assert.Single(error.Split('\n'), line => line.Contains("warning", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Help_needs_no_valid_variables() =>
        Assert.Equal(0, (await EndAsync(Start(["serve", "--help"], variables: [("MILLRACE_INSECURE", "maybe"), ("MILLRACE_PROT", "8")]))).ExitCode);

    [Fact]
    public void No_variable_of_an_option_has_another_meaning()
    {
        string[] names = [.. ServeCommand.Create().Options.Select(ServeEnvironment.NameOf)];

        Assert.Contains("MILLRACE_MAX_FILE", names);
        Assert.DoesNotContain(names, ServeEnvironment.OfOthers.Contains);
    }
}
