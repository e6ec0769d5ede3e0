namespace Millrace.Cli.Tests;

public sealed class CommandLineTests
{
    [Fact]
    public async Task Version_is_printed_alone()
    {
        (int exitCode, string output, string error) = await Command.RunAsync(Path.GetTempPath(), "--version");
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Matches(@"^\d+\.\d+\.\d+\s*$", output);
    }
}
