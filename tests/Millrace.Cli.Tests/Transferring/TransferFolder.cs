using System.Diagnostics;
using System.Security.Cryptography;
using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>A folder to run the command in, with separate states and no token of whoever runs the tests.</summary>
internal sealed class TransferFolder : IDisposable
{
    private readonly List<Process> _started = [];

    /// <summary>Not below /tmp, which may be in memory.</summary>
    public string Path { get; } = Directory.CreateDirectory(
        System.IO.Path.Combine(AppContext.BaseDirectory, "tmp", Guid.NewGuid().ToString("N"))).FullName;

    public string this[string name] => System.IO.Path.Combine(Path, name);

    /// <summary>A file of random bytes.</summary>
    public byte[] Write(string name, int length, int seed = 7)
    {
        byte[] content = new byte[length];
        new Random(seed).NextBytes(content);
        Directory.CreateDirectory(System.IO.Path.GetDirectoryName(this[name])!);
        File.WriteAllBytes(this[name], content);
        return content;
    }

    /// <summary>Every file below a folder with its SHA-256, those of transfers' own states left out.</summary>
    public SortedDictionary<string, string> Digests(string folder)
    {
        var digests = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (string file in Directory.EnumerateFiles(this[folder], "*", SearchOption.AllDirectories))
        {
            string name = System.IO.Path.GetRelativePath(this[folder], file);
            if (!name.StartsWith(".millrace", StringComparison.Ordinal))
            {
                digests.Add(name, Convert.ToHexStringLower(SHA256.HashData(File.ReadAllBytes(file))));
            }
        }

        return digests;
    }

    /// <summary>Starts the command; it is ended with this.</summary>
    public Process Start(string[] arguments, string? token = null, bool input = false)
    {
        var start = new ProcessStartInfo("dotnet")
        {
            WorkingDirectory = Path,
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.ArgumentList.Add(System.IO.Path.Combine(AppContext.BaseDirectory, "Millrace.Cli.dll"));
        foreach (string argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        start.Environment.Remove("MILLRACE_TOKEN");
        start.Environment["XDG_STATE_HOME"] = this[".states"];
        if (token is not null)
        {
            start.Environment["MILLRACE_TOKEN"] = token;
        }

        Process process = Process.Start(start)!;
        _started.Add(process);
        if (!input)
        {
            process.StandardInput.Close();
        }

        return process;
    }

    /// <summary>Runs the command to its end.</summary>
    public Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] arguments) => EndAsync(Start(arguments));

    /// <summary>Runs the command with --json and reads its only line.</summary>
    public async Task<JsonElement> RunJsonAsync(params string[] arguments)
    {
        (int exitCode, string output, string error) = await RunAsync([.. arguments, "--json"]);
        Assert.True(exitCode == 0, output + error);
        return Assert.Single(Lines(output));
    }

    /// <summary>Waits for the end of a command.</summary>
    public static async Task<(int ExitCode, string Output, string Error)> EndAsync(Process process)
    {
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();
        await Command.WaitAsync(process);
        return (process.ExitCode, await output, await error);
    }

    /// <summary>One object a line.</summary>
    public static List<JsonElement> Lines(string output) =>
        [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement)];

    public void Dispose()
    {
        foreach (Process process in _started)
        {
            if (!process.HasExited)
            {
                process.Kill();
                process.WaitForExit();
            }

            process.Dispose();
        }

        Directory.Delete(Path, recursive: true);
    }
}
