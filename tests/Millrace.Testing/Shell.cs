using System.ComponentModel;
using System.Diagnostics;

namespace Millrace.Testing;

/// <summary>Runs the system's own programs: mount, chmod and the like.</summary>
public static class Shell
{
    /// <summary>Runs a program and asserts that it succeeded.</summary>
    /// <returns>Its output.</returns>
    public static string Run(string program, params string[] arguments)
    {
        (int exitCode, string output, string errors) = RunToEnd(program, arguments);
        Assert.True(exitCode == 0, $"{program} {string.Join(' ', arguments)}: {errors}");
        return output;
    }

    /// <returns>False when the program failed or is not installed.</returns>
    public static bool TryRun(string program, params string[] arguments)
    {
        try
        {
            return RunToEnd(program, arguments).ExitCode == 0;
        }
        catch (Win32Exception)
        {
            return false;
        }
    }

    private static (int ExitCode, string Output, string Errors) RunToEnd(string program, string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
        })!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        Assert.True(process.WaitForExit(Bounded.Patience), $"{program} did not end.");
        return (process.ExitCode, output, errors.Result);
    }
}
