using System.Diagnostics;

namespace Millrace.Testing;

/// <summary>How tests start <c>millrace</c>.</summary>
public static class TestedCommand
{
    /// <summary>
    /// The program and its first arguments: the build beside the tests, or another one that <c>MILLRACE_COMMAND</c> names, such as the
    /// release's file, which starts at once.
    /// </summary>
    public static string[] Words { get; } = Environment.GetEnvironmentVariable("MILLRACE_COMMAND") is { Length: > 0 } file
        ? [file]
        : ["dotnet", Path.Combine(AppContext.BaseDirectory, "Millrace.Cli.dll")];

    /// <summary>Whether it is the build beside the tests, which is managed code.</summary>
    public static bool IsBuild => Words.Length > 1;

    /// <summary>A start with arguments, with output and errors for the test to read, and without the user's token.</summary>
    public static ProcessStartInfo Prepare(params IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(Words[0], [.. Words[1..], .. arguments])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment.Remove("MILLRACE_TOKEN");
        return start;
    }
}
