using System.Diagnostics;
using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>`millrace serve` of a folder, as a process.</summary>
internal sealed class ServedFolder
{
    private readonly TransferFolder _folder;
    private readonly string _served;
    private readonly string[] _options;
    private Process _process;

    private ServedFolder(TransferFolder folder, string served, string[] options)
    {
        _folder = folder;
        _served = served;
        _options = options;
        _process = null!;
    }

    /// <summary>The URL of its files.</summary>
    public string Files => $"http://127.0.0.1:{Port}/files/";

    public int Port { get; private set; }

    /// <summary>Starts one and waits until it is ready.</summary>
    public static async Task<ServedFolder> StartAsync(TransferFolder folder, string served, params string[] options)
    {
        var server = new ServedFolder(folder, served, options);
        Directory.CreateDirectory(folder[served]);
        await server.StartAsync(0);
        return server;
    }

    /// <summary>Ends it at once, as the system does when there is no memory left.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync();
    }

    /// <summary>Starts it again where it was.</summary>
    public Task StartAgainAsync() => StartAsync(Port);

    private async Task StartAsync(int port)
    {
        _process = _folder.Start(["serve", _served, "--port", $"{port}", "--h2-port", "0", "--json", .. _options]);
        using var limit = new CancellationTokenSource(TimeSpan.FromMinutes(2));
        string? line = await _process.StandardOutput.ReadLineAsync(limit.Token);
        if (line is null)
        {
            Assert.Fail(await _process.StandardError.ReadToEndAsync(limit.Token));
        }

        using var json = JsonDocument.Parse(line);
        Port = new Uri(json.RootElement.GetProperty("files").GetString()!).Port;

        // A pipe that nobody empties holds up whoever writes to it.
        _process.OutputDataReceived += (_, _) => { };
        _process.ErrorDataReceived += (_, _) => { };
        _process.BeginErrorReadLine();
    }
}
