using System.Diagnostics;

namespace Millrace.Samples.Tests;

/// <summary>A sample, as a process.</summary>
internal static class Sample
{
    // Only against a hang: nothing here decides by time.
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(10);

    /// <summary>Starts one.</summary>
    public static Process Start(string name, params string[] arguments) =>
        StartProgram("dotnet", [Path.Combine(AppContext.BaseDirectory, name + ".dll"), .. arguments]);

    /// <summary>Runs one to its end.</summary>
    public static Task<(int ExitCode, string Output, string Error)> RunAsync(string name, params string[] arguments) =>
        ToEndAsync(Start(name, arguments));

    /// <summary>The output of a system program, to compare with.</summary>
    public static async Task<string> SystemAsync(string program, params string[] arguments)
    {
        (int exitCode, string output, string error) = await ToEndAsync(StartProgram(program, arguments));
        Assert.True(exitCode == 0, error);
        return output;
    }

    /// <summary>Waits for its end, and ends it when that does not come.</summary>
    public static async Task WaitAsync(Process process)
    {
        using var limit = new CancellationTokenSource(Limit);
        try
        {
            await process.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException exception)
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"The sample did not end within {Limit}.", exception);
        }
    }

    /// <summary>The next line that it prints.</summary>
    public static async Task<string?> ReadLineAsync(Process process) =>
        await process.StandardOutput.ReadLineAsync().WaitAsync(Limit);

    private static async Task<(int ExitCode, string Output, string Error)> ToEndAsync(Process started)
    {
        using Process process = started;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();
        await WaitAsync(process);
        return (process.ExitCode, await output, await error);
    }

    private static Process StartProgram(string program, string[] arguments) =>
        Process.Start(new ProcessStartInfo(program, arguments)
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
}
