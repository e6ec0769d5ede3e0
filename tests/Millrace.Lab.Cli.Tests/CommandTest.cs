namespace Millrace.Lab.Cli.Tests;

public abstract class CommandTest : FolderTests
{
    protected Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] arguments) =>
        CommandHost.RunAsync(Folder.Path, Folder.Path, arguments);

    protected async Task<string> PrintAsync(params string[] arguments)
    {
        (int exitCode, string output, string error) = await RunAsync(arguments);
        Assert.True(exitCode == 0, output + error);
        return output;
    }

    /// <summary>The error output of a command that ends with an exit code.</summary>
    protected async Task<string> FailAsync(int expected, params string[] arguments)
    {
        (int exitCode, string output, string error) = await RunAsync(arguments);
        Assert.True(exitCode == expected, $"{exitCode}: {output}{error}");
        return error;
    }
}
