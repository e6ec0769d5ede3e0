using System.Diagnostics;

namespace Millrace.Transfer.S3.Tests.Infrastructure;

/// <summary>The command, as a process.</summary>
internal static class MillraceCommand
{
    /// <summary>The environment variables that an S3 client needs for the tests' account.</summary>
    public static Dictionary<string, string> Keys { get; } = new()
    {
        ["AWS_ACCESS_KEY_ID"] = CephServer.AccessKey,
        ["AWS_SECRET_ACCESS_KEY"] = CephServer.SecretKey,
        ["AWS_EC2_METADATA_DISABLED"] = "true",
    };

    public static Process Start(string folder, IReadOnlyDictionary<string, string>? environment, params string[] arguments)
    {
        ProcessStartInfo start = TestedCommand.Prepare(arguments);
        start.WorkingDirectory = folder;
        foreach ((string name, string value) in environment ?? Keys)
        {
            start.Environment[name] = value;
        }

        // Not the user's profiles.
        start.Environment["HOME"] = folder;
        return Process.Start(start)!;
    }

    /// <summary>Runs it to its end.</summary>
    public static async Task<(int ExitCode, string Output, string Error)> RunAsync(
        string folder, IReadOnlyDictionary<string, string>? environment, params string[] arguments)
    {
        using Process process = Start(folder, environment, arguments);
        return await EndAsync(process);
    }

    public static async Task<(int ExitCode, string Output, string Error)> EndAsync(Process process)
    {
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();
        try
        {
            await process.WaitForExitAsync().WaitAsync(TimeSpan.FromMinutes(Soak.Times(5, 30)));
        }
        catch (TimeoutException)
        {
            process.Kill(entireProcessTree: true);
            throw;
        }

        return (process.ExitCode, await output, await error);
    }

    /// <summary>Runs it and asserts that it succeeds.</summary>
    /// <returns>Its output.</returns>
    public static async Task<string> SucceedAsync(string folder, params string[] arguments)
    {
        (int exitCode, string output, string error) = await RunAsync(folder, null, arguments);
        Assert.True(exitCode == 0, $"millrace {string.Join(' ', arguments)}: {exitCode}: {output}{error}");
        return output;
    }
}
