using System.Diagnostics;
using System.Security.Cryptography;
using System.Text.Json;
using Millrace.Transfer;

namespace Millrace.Cli.Tests;

/// <summary>
/// Tests of the command as a process, in a separate folder, with separate states and without the tokens of the user who runs the tests.
/// </summary>
public abstract class CommandTests : FolderTests
{
    private readonly List<Process> _started = [];

    /// <summary>Where the calls of each command that starts are written down, in <c>1</c>, <c>2</c> and so on; null for nowhere.</summary>
    protected string? Traces { get; set; }

    /// <summary>Whether the rights of files bind the commands also when root runs the tests; false for root's own rights.</summary>
    protected bool IsBoundByRights { get; set; }

    /// <summary>Whether no other program gets the port of a server that was killed, so that it can start there again (not on Windows, where two cannot have it).</summary>
    internal bool KeepsPorts { get; set; }

    /// <summary>Servers that are ended after the test.</summary>
    internal List<ServedCommand> Served { get; } = [];

    /// <summary>Whether the command may run in processes that have run it before. It may not where a signal ends it or its memory is measured.</summary>
    protected bool IsHosted { get; set; } = TestedCommand.IsBuild && !OperatingSystem.IsWindows();

    public override void Dispose()
    {
        foreach (ServedCommand server in Served)
        {
            server.Stop();
        }

        foreach (Process process in _started)
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
                process.WaitForExit();
            }

            process.Dispose();
        }

        base.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Writes a file of random bytes.</summary>
    protected byte[] Write(string name, int length, int seed = 7)
    {
        byte[] content = Content.Random(length, seed);
        Folder.Write(name, content);
        return content;
    }

    /// <summary>Every file below a folder with its SHA-256, those of transfers' own states left out.</summary>
    protected SortedDictionary<string, string> Digests(string folder)
    {
        var digests = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (string file in Directory.EnumerateFiles(Folder[folder], "*", SearchOption.AllDirectories))
        {
            string name = Path.GetRelativePath(Folder[folder], file);
            if (!name.StartsWith(".millrace", StringComparison.Ordinal))
            {
                digests.Add(name, Convert.ToHexStringLower(SHA256.HashData(File.ReadAllBytes(file))));
            }
        }

        return digests;
    }

    /// <summary>Every file below a folder with its SHA-256 and its date, what Millrace keeps for itself left out.</summary>
    internal SortedDictionary<string, (string Digest, FileTime Modified)> FilesOf(string folder)
    {
        var files = new SortedDictionary<string, (string, FileTime)>(StringComparer.Ordinal);
        foreach (string path in Directory.EnumerateFiles(Folder[folder], "*", SearchOption.AllDirectories))
        {
            if (!path.Contains(".millrace", StringComparison.Ordinal))
            {
                files.Add(
                    Path.GetRelativePath(Folder[folder], path),
                    (Convert.ToHexStringLower(SHA256.HashData(File.ReadAllBytes(path))), LocalTime.Of(path)));
            }
        }

        return files;
    }

    /// <summary>Starts the command; it is ended after the test.</summary>
    protected internal Process Start(string[] arguments, string? token = null, bool input = false, params ReadOnlySpan<(string Name, string Value)> variables)
    {
        ProcessStartInfo start = Command.Prepare(Folder.Path, arguments);
        start.RedirectStandardInput = true;
        start.Environment.Remove("MILLRACE_TOKEN");
        start.Environment["XDG_STATE_HOME"] = Folder[".states"];
        if (token is not null)
        {
            start.Environment["MILLRACE_TOKEN"] = token;
        }

        foreach ((string name, string value) in variables)
        {
            start.Environment[name] = value;
        }

        if (Traces is { } logs)
        {
            TracedCalls.Trace(start, Path.Combine(logs, $"{_started.Count + 1}"), Folder.Path);
        }

        if (IsBoundByRights && Environment.IsPrivilegedProcess)
        {
            string[] command = ["--bounding-set=-dac_override,-dac_read_search", start.FileName, .. start.ArgumentList];
            start.FileName = "setpriv";
            start.ArgumentList.Clear();
            foreach (string argument in command)
            {
                start.ArgumentList.Add(argument);
            }
        }

        Process process = Process.Start(start)!;
        _started.Add(process);
        if (!input)
        {
            process.StandardInput.Close();
        }

        return process;
    }

    /// <summary>Starts the command, without input, in a process that is kept; null where it needs its own.</summary>
    internal async Task<CommandHost?> StartHostedAsync(string[] arguments) => IsHosted && Traces is null && !IsBoundByRights
        ? await CommandHost.StartAsync(Folder.Path, Folder[".states"], arguments)
        : null;

    /// <summary>Runs the command to its end, without input.</summary>
    protected async Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] arguments) =>
        await (await StartHostedAsync(arguments) is { } host ? host.EndAsync() : EndAsync(Start(arguments)));

    /// <returns>The command's output; it has to succeed.</returns>
    protected async Task<string> SucceedAsync(params string[] arguments)
    {
        (int exitCode, string output, string error) = await RunAsync(arguments);
        Assert.True(exitCode == 0, output + error);
        return output;
    }

    /// <returns>The command's error output; it has to exit with 1.</returns>
    protected async Task<string> FailAsync(params string[] arguments)
    {
        (int exitCode, _, string error) = await RunAsync(arguments);
        Assert.Equal(1, exitCode);
        return error;
    }

    /// <summary>Runs the command with --json and reads its only line.</summary>
    protected async Task<JsonElement> RunJsonAsync(params string[] arguments) =>
        Assert.Single(Lines(await SucceedAsync([.. arguments, "--json"])));

    /// <summary>Serves a folder, which is created if it is missing, over every protocol.</summary>
    internal Task<ServedCommand> ServeAsync(string folder, params string[] options)
    {
        Directory.CreateDirectory(Folder[folder]);

        // With Kestrel's sockets HTTP/2 has a second port, which might be taken if the command chose it.
        string[] ports = TestedTransport.IsKestrel ? ["--h2-port", "0"] : [];
        return ServedCommand.StartAsync(this, [folder, .. ports, .. options]);
    }

    /// <summary>Waits for the end of a command.</summary>
    protected static Task<(int ExitCode, string Output, string Error)> EndAsync(Process process) => TestProcess.EndAsync(process);

    /// <summary>One object a line.</summary>
    protected static IReadOnlyList<JsonElement> Lines(string output) =>
        [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement)];
}
