using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text.Json;

namespace Millrace.Transfer.Tests.Peers;

/// <summary>A server with another implementation of gRPC, in a separate process; eng/grpc.sh builds them.</summary>
internal sealed class ForeignServer : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(5);

    private readonly Process _process;
    private readonly ConcurrentQueue<string> _lines = new();
    private readonly Task _reading;

    private ForeignServer(Process process, string folder, int port)
    {
        _process = process;
        Folder = folder;
        Port = port;
        _reading = ReadAsync();
    }

    public static IReadOnlyList<string> Names { get; } = ["C++", "Python", "grpc-js"];

    /// <summary>The folder that it serves.</summary>
    public string Folder { get; }

    public int Port { get; }

    public Uri Address => new($"http://127.0.0.1:{Port}/");

    /// <summary>Its output so far: the calls, and those that were cancelled.</summary>
    public IReadOnlyList<string> Lines => [.. _lines];

    public static async Task<ForeignServer> StartAsync(string name, params string[] options)
    {
        string built = Path.Combine(Repository.Root, "artifacts", "grpc");
        string scripts = Path.Combine(Repository.Root, "tests", "interop", "grpc");
        string core = Path.Combine(built, "millrace_grpc_core");
        string folder = Directory.CreateTempSubdirectory("millrace-peer-").FullName;
        (string program, string[] first) = name switch
        {
            "C++" => (core, Array.Empty<string>()),
            "Python" => ("/usr/bin/python3", [Path.Combine(scripts, "python", "peer.py")]),
            "grpc-js" => ("node", [Path.Combine(scripts, "node", "peer.mjs")]),
            _ => throw new ArgumentOutOfRangeException(nameof(name), name, null),
        };
        Process process = Process.Start(new ProcessStartInfo(program, [.. first, "serve", "--folder", folder, .. options])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            UseShellExecute = false,
        })!;
        string? line = await process.StandardOutput.ReadLineAsync().WaitAsync(Patience);
        Assert.NotNull(line);
        return new ForeignServer(process, folder, JsonDocument.Parse(line).RootElement.GetProperty("port").GetInt32());
    }

    public string PathOf(string name) => Path.Combine(Folder, name);

    /// <summary>Puts a file there.</summary>
    public byte[] Write(string name, int bytes)
    {
        byte[] content = Content.Random(bytes);
        File.WriteAllBytes(PathOf(name), content);
        return content;
    }

    /// <summary>A client that does not wait long.</summary>
    public TransferClient Connect(Action<TransferClientOptions>? change = null) =>
        Clients.To(Address, options =>
        {
            options.Protocol = TransferProtocol.Grpc;
            change?.Invoke(options);
        });

    /// <summary>Waits until it has reported that a method was called.</summary>
    public Task AssertCalledAsync(string method) => AssertReportedAsync("method", method);

    /// <summary>Waits until it has reported that a call was cancelled.</summary>
    public Task AssertCancelledAsync(string method) => AssertReportedAsync("cancelled", method);

    private async Task AssertReportedAsync(string field, string text)
    {
        for (long end = Environment.TickCount64 + (long)Patience.TotalMilliseconds; !Lines.Any(IsThat); await Task.Delay(10))
        {
            Assert.True(Environment.TickCount64 < end, $"It did not say that: {string.Join('\n', Lines)}");
        }

        bool IsThat(string line) =>
            JsonDocument.Parse(line).RootElement.TryGetProperty(field, out JsonElement said) && said.GetString() == text;
    }

    public async ValueTask DisposeAsync()
    {
        // The end of its input ends it.
        _process.StandardInput.Close();
        try
        {
            await _process.WaitForExitAsync().WaitAsync(Patience);
            await _reading;
        }
        finally
        {
            if (!_process.HasExited)
            {
                _process.Kill(entireProcessTree: true);
            }

            _process.Dispose();
            Directory.Delete(Folder, recursive: true);
        }
    }

    private async Task ReadAsync()
    {
        while (await _process.StandardOutput.ReadLineAsync() is { } line)
        {
            _lines.Enqueue(line);
        }
    }
}
