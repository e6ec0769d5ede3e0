using System.Diagnostics;

namespace Millrace.Tests.Infrastructure;

/// <summary>Programs of the system that tests set the scene with.</summary>
internal static class Shell
{
    /// <summary>Runs a program to its end and asserts that it succeeded.</summary>
    /// <returns>What it printed.</returns>
    public static string Run(string program, params string[] arguments)
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
        Assert.True(process.ExitCode == 0, $"{program} {string.Join(' ', arguments)}: {errors.Result}");
        return output;
    }
}
