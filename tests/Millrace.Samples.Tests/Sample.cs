using System.Diagnostics;

namespace Millrace.Samples.Tests;

/// <summary>A sample, as a process.</summary>
internal static class Sample
{
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

    /// <summary>The next line that it prints.</summary>
    public static async Task<string?> ReadLineAsync(Process process) =>
        await process.StandardOutput.ReadLineAsync().WaitAsync(TestProcess.Limit);

    private static async Task<(int ExitCode, string Output, string Error)> ToEndAsync(Process started)
    {
        using Process process = started;
        return await TestProcess.EndAsync(process);
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
