using System.Diagnostics;
using System.Globalization;

namespace Millrace.Transfer.Tests.Killed;

/// <summary>A server in a separate process, which can be killed.</summary>
internal sealed class ServerProcess : IAsyncDisposable
{
    /// <summary>A port of the system's own, on which no test's server listens.</summary>
    private const int Discard = 9;

    private readonly Process _process;
    private readonly int _port;
    private readonly int _http2Port;
    private volatile bool _isKilled;

    private ServerProcess(Process process, int port, int http2Port)
    {
        _process = process;
        _port = port;
        _http2Port = http2Port;
    }

    /// <summary>After the kill a port without a server: the server of another test may have the old one by now.</summary>
    public int Port => _isKilled ? Discard : _port;

    public int Http2Port => _isKilled ? Discard : _http2Port;

    public static async Task<ServerProcess> StartAsync(string folder)
    {
        string host = Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet" ? path : "dotnet";
        string program = Path.Combine(AppContext.BaseDirectory, "Millrace.Transfer.Tests.Child.dll");
        var start = new ProcessStartInfo(host, ["exec", program, folder])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            UseShellExecute = false,
        };
        Process process = Process.Start(start)!;
        using var bound = new CancellationTokenSource(TimeSpan.FromMinutes(5));
        string? line = await process.StandardOutput.ReadLineAsync(bound.Token);
        int[] ports = [.. line!.Split(' ').Select(port => int.Parse(port, CultureInfo.InvariantCulture))];
        return new ServerProcess(process, ports[0], ports[1]);
    }

    /// <summary>SIGKILL: nothing is flushed.</summary>
    public async Task KillAsync()
    {
        _isKilled = true;
        _process.Kill();
        await _process.WaitForExitAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            await KillAsync();
        }

        _process.Dispose();
    }
}
