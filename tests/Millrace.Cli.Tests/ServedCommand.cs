using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace Millrace.Cli.Tests;

/// <summary>`millrace serve` as a process, ready. The test that started it ends it.</summary>
internal sealed class ServedCommand : IDisposable
{
    private static readonly string TestFolders = Path.Combine(AppContext.BaseDirectory, "tmp");

    private readonly CommandTests _test;
    private readonly string[] _arguments;
    private readonly Dictionary<string, long> _poolWaits = [];
    private readonly Socket? _held;
    private Process _process = null!;
    private CommandHost? _host;
    private Task<string> _error = null!;

    private ServedCommand(CommandTests test, string[] arguments)
    {
        _test = test;
        _arguments = arguments;
        _held = test.KeepsPorts && !OperatingSystem.IsWindows() ? TestPort.Hold() : null;
    }

    /// <summary>Its output when it was ready.</summary>
    public JsonElement Ready { get; private set; }

    public HttpClient Client { get; } = new() { Timeout = TimeSpan.FromMinutes(5) };

    /// <summary>The URL of its files.</summary>
    public string Files => Ready.GetProperty("files").GetString()!;

    public int Port => new Uri(Files).Port;

    /// <summary>Open sockets, and open files that are not part of the command (Linux).</summary>
    public int OpenHandles => Directory.GetFileSystemEntries($"/proc/{Id}/fd")
        .Select(name => new FileInfo(name).LinkTarget)
        .Count(target => target is not null && (target.StartsWith("socket:", StringComparison.Ordinal) || target.StartsWith(TestFolders, StringComparison.Ordinal)));

    private int Id => Ready.GetProperty("pid").GetInt32();

    private string[] Transport =>
        _arguments.Contains("--transport") ? [] : ["--transport", TestedTransport.Name.ToLowerInvariant()];

    /// <summary>Starts it on a free port and waits until it is ready.</summary>
    public static async Task<ServedCommand> StartAsync(CommandTests test, params string[] arguments)
    {
        var server = new ServedCommand(test, arguments);
        test.Served.Add(server);
        await server.StartAsync((server._held?.LocalEndPoint as IPEndPoint)?.Port ?? 0);
        server.Client.BaseAddress = new Uri(server.Ready.GetProperty("address").GetString()!);
        return server;
    }

    /// <summary>Starts it again where it was.</summary>
    public Task StartAgainAsync() => StartAsync(Port);

    public void Signal(int signal)
    {
        Assert.Null(_host);
        Command.Signal(_process, signal);
    }

    /// <summary>Bytes of its memory, by a field of proc_pid_status(5).</summary>
    public long MemoryOf(string field)
    {
        string line = File.ReadLines($"/proc/{Id}/status").Single(line => line.StartsWith(field + ":", StringComparison.Ordinal));
        return 1024 * long.Parse(line.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture);
    }

    /// <summary>Whether all its threads wait for something, and none for a processor: proc_pid_stat(5).</summary>
    public bool IsWaiting() => Directory.GetDirectories($"/proc/{Id}/task").All(static thread =>
    {
        try
        {
            string stat = File.ReadAllText(Path.Combine(thread, "stat"));
            return stat[stat.LastIndexOf(')') + 2] == 'S';
        }
        catch (IOException)
        {
            return true; // the thread has ended
        }
    });

    /// <summary>How often its threads of the thread pool have waited since the last call, because they had nothing to do or for something else.</summary>
    public long NewPoolWaits()
    {
        const string Field = "voluntary_ctxt_switches:";
        long sum = 0;
        foreach (string thread in Directory.GetDirectories($"/proc/{Id}/task"))
        {
            try
            {
                if (File.ReadAllText(Path.Combine(thread, "comm")) == ".NET TP Worker\n")
                {
                    string line = File.ReadLines(Path.Combine(thread, "status")).Single(static line => line.StartsWith(Field, StringComparison.Ordinal));
                    long waits = long.Parse(line.AsSpan(Field.Length), CultureInfo.InvariantCulture);
                    sum += waits - _poolWaits.GetValueOrDefault(thread);
                    _poolWaits[thread] = waits;
                }
            }
            catch (IOException)
            {
                // The thread has ended.
            }
        }

        return sum;
    }

    /// <summary>Ends it at once, as the system does when memory runs out.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync();
    }

    /// <summary>Waits for its end, in a separate process.</summary>
    public async Task<(int ExitCode, string Error)> EndAsync()
    {
        await TestProcess.WaitAsync(_process);
        return (_process.ExitCode, await _error);
    }

    /// <summary>Ends it after the test, if it runs in a process that is kept.</summary>
    public void Stop() => _host?.Stop();

    public void Dispose()
    {
        Client.Dispose();
        _held?.Dispose();
    }

    private async Task StartAsync(int port)
    {
        string[] arguments = ["serve", "--port", $"{port}", "--json", .. Transport, .. _arguments];
        _host = await _test.StartHostedAsync(arguments);
        _process = _host?.Process ?? _test.Start(arguments);
        _error = _host?.Error ?? _process.StandardError.ReadToEndAsync();
        string? line = await _process.StandardOutput.ReadLineAsync().WaitAsync(TimeSpan.FromMinutes(5));
        Ready = line?.StartsWith('{') == true
            ? JsonDocument.Parse(line).RootElement
            : throw new InvalidOperationException("It did not start: " + await _error);
    }
}
