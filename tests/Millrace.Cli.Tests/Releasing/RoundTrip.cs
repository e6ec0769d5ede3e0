using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Millrace.Cli.Tests.Releasing;

/// <summary>Serves a folder with an installed command, and puts, gets and scans a file with it.</summary>
/// <param name="outside">A folder for the test's files.</param>
/// <param name="inside">The same folder as the command sees it.</param>
/// <param name="command">The program, and arguments before those of the command.</param>
internal sealed class RoundTrip(string outside, string inside, params string[] command)
{
    private const int Lines = 50_000;

    public async Task RunAsync()
    {
        byte[] content = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Range(0, Lines).Select(n => $"line {n}\n")));
        Directory.CreateDirectory(Path.Combine(outside, "served"));
        await File.WriteAllBytesAsync(Path.Combine(outside, "a.txt"), content);
        using Process server = Start("serve", inside + "/served", "--port", "0", "--h2-port", "none", "--json");
        Task<string> log = server.StandardError.ReadToEndAsync();
        try
        {
            string ready = await server.StandardOutput.ReadLineAsync().Soon() ?? throw new InvalidOperationException(await log);
            JsonElement addresses = JsonDocument.Parse(ready).RootElement;
            string files = addresses.GetProperty("files").GetString()!;

            await PrintAsync("put", inside + "/a.txt", files);
            Assert.Equal(content, await File.ReadAllBytesAsync(Path.Combine(outside, "served", "a.txt")));
            await PrintAsync("get", files + "a.txt", inside + "/b.txt");
            Assert.Equal(content, await File.ReadAllBytesAsync(Path.Combine(outside, "b.txt")));
            string scanned = await PrintAsync("scan", inside + "/b.txt");
            Assert.Contains(Lines.ToString(CultureInfo.InvariantCulture), scanned, StringComparison.Ordinal);
            Assert.StartsWith("ok", await PrintAsync("health", addresses.GetProperty("address").GetString()!, "--timeout", "5m"), StringComparison.Ordinal);
            if (!OperatingSystem.IsWindows())
            {
                Command.Signal(server, Command.Terminate);
                await TestProcess.WaitAsync(server);
                Assert.Equal(0, server.ExitCode);
            }
        }
        finally
        {
            server.Kill(entireProcessTree: true);
            await server.WaitForExitAsync();
        }
    }

    /// <returns>The command's output; it has to succeed.</returns>
    public async Task<string> PrintAsync(params string[] arguments)
    {
        using Process process = Start(arguments);
        (int exitCode, string output, string error) = await TestProcess.EndAsync(process);
        Assert.True(exitCode == 0, $"{string.Join(' ', command)} {string.Join(' ', arguments)}:\n{output}\n{error}");
        return output.Trim();
    }

    private Process Start(params string[] arguments)
    {
        var start = new ProcessStartInfo(command[0], [.. command[1..], .. arguments])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment.Remove("MILLRACE_TOKEN");
        start.Environment["XDG_STATE_HOME"] = start.Environment["HOME"] = inside;
        Process process = Process.Start(start)!;
        process.StandardInput.Close();
        return process;
    }
}
