namespace Millrace.Transfer.Server.Tests.Interop;

/// <summary>Runs somebody else's client in a separate process.</summary>
internal static class ForeignClient
{
    private static string Folder { get; } = Path.Combine(Repository.Root, "tests", "interop");

    /// <summary>Runs a script of tests/interop in Node.</summary>
    public static Task<JsonElement> NodeAsync(string script, object told, bool killed = false) =>
        RunAsync("node", script, told, killed);

    /// <summary>Runs a script of tests/interop in the system's Python, where Debian installs tuspy.</summary>
    public static Task<JsonElement> PythonAsync(string script, object told, bool killed = false) =>
        RunAsync("/usr/bin/python3", script, told, killed);

    private static async Task<JsonElement> RunAsync(string program, string script, object told, bool killed)
    {
        ForeignProgram.Result result = await ForeignProgram.RunAsync(Folder, program, script, JsonSerializer.Serialize(told));

        // 128 + SIGKILL.
        Assert.True(
            result.ExitCode == (killed ? 137 : 0), $"{script} ended with {result.ExitCode}: {result.Output}{result.Errors}");
        return JsonDocument.Parse(result.Output.TrimEnd().Split('\n')[^1]).RootElement;
    }
}
