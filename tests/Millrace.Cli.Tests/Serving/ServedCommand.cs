using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace serve` as a process, ready.</summary>
internal sealed partial class ServedCommand : IAsyncDisposable
{
    public const int Interrupt = 2;
    public const int Terminate = 15;

    private readonly Process _process;
    private readonly Task<string> _error;

    private ServedCommand(Process process, JsonElement ready, Task<string> error)
    {
        _process = process;
        _error = error;
        Ready = ready;
        Client = new HttpClient
        {
            BaseAddress = new Uri(ready.GetProperty("address").GetString()!),
            Timeout = TimeSpan.FromMinutes(2),
        };
    }

    /// <summary>What it said when it was ready.</summary>
    public JsonElement Ready { get; }

    public HttpClient Client { get; }

    /// <summary>Starts it on a free port and waits until it is ready.</summary>
    public static async Task<ServedCommand> StartAsync(string folder, params string[] arguments)
    {
        Process process = Command.Start(folder, ["serve", .. arguments, "--port", "0", "--json"]);
        Task<string> error = process.StandardError.ReadToEndAsync();
        string? line = await process.StandardOutput.ReadLineAsync();
        if (line is null)
        {
            throw new InvalidOperationException("It did not start: " + await error);
        }

        return new ServedCommand(process, JsonDocument.Parse(line).RootElement, error);
    }

    public void Signal(int signal) => Assert.Equal(0, Kill(_process.Id, signal));

    /// <summary>Waits for its end.</summary>
    public async Task<(int ExitCode, string Error)> EndAsync()
    {
        await Command.WaitAsync(_process);
        return (_process.ExitCode, await _error);
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
            await _process.WaitForExitAsync();
        }

        _process.Dispose();
    }

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Kill(int pid, int signal);
}
