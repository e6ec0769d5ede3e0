using System.Diagnostics;
using System.Text.Json;

namespace Millrace.Transfer.Server.Tests.Interop;

/// <summary>Runs somebody else's client as a process of its own.</summary>
internal static class ForeignClient
{
    /// <summary>Generous: it only ends what hangs.</summary>
    private static readonly TimeSpan Bound = TimeSpan.FromMinutes(3);

    private static string Folder { get; } = Path.Combine(Repository.Root, "tests", "interop");

    /// <summary>Runs a script of tests/interop in Node.</summary>
    public static Task<JsonElement> NodeAsync(string script, object told, bool killed = false) =>
        RunAsync("node", script, told, killed);

    /// <summary>Runs a script of tests/interop in the system's Python, where Debian installs tuspy.</summary>
    public static Task<JsonElement> PythonAsync(string script, object told, bool killed = false) =>
        RunAsync("/usr/bin/python3", script, told, killed);

    private static async Task<JsonElement> RunAsync(string program, string script, object told, bool killed)
    {
        var start = new ProcessStartInfo(program, [Path.Combine(Folder, script), JsonSerializer.Serialize(told)])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
            WorkingDirectory = Folder,
        };
        using Process process = Process.Start(start)!;
        using var bound = new CancellationTokenSource(Bound);
        try
        {
            Task<string> errors = process.StandardError.ReadToEndAsync(bound.Token);
            string output = await process.StandardOutput.ReadToEndAsync(bound.Token);
            await process.WaitForExitAsync(bound.Token);

            // 128 + SIGKILL.
            Assert.True(process.ExitCode == (killed ? 137 : 0), $"{script} ended with {process.ExitCode}: {output}{await errors}");
            return JsonDocument.Parse(output.TrimEnd().Split('\n')[^1]).RootElement;
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }
    }
}
