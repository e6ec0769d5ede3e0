extern alias Peer;

using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text.Json;
using Peer::Millrace.Transfer.Tests.Peer;

namespace Millrace.Transfer.Tests.Peers;

/// <summary>A server with another implementation of gRPC: a program, which eng/grpc.sh builds, or one of .NET in this process.</summary>
internal sealed class ForeignServer : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(5);

    private readonly Process? _process;
    private readonly GrpcDotNetServer? _server;
    private readonly ConcurrentQueue<string> _lines = new();
    private readonly Task _reading = Task.CompletedTask;

    private ForeignServer(string folder, GrpcDotNetServer server, string library)
    {
        (Folder, _server, Port) = (folder, server, server.Port);
        Protocol = library switch
        {
            GrpcDotNetServer.Web => TransferProtocol.GrpcWeb,
            GrpcDotNetServer.WebText => TransferProtocol.GrpcWebText,
            _ => TransferProtocol.Grpc,
        };
    }

    private ForeignServer(string folder, Process process, int port)
    {
        (Folder, _process, Port, Protocol) = (folder, process, port, TransferProtocol.Grpc);
        _reading = ReadAsync(process.StandardOutput);
    }

    public static IReadOnlyList<string> Names { get; } = ["Python", "grpc-js", .. Libraries];

    /// <summary>The folder that it serves.</summary>
    public string Folder { get; }

    public int Port { get; }

    public TransferProtocol Protocol { get; }

    public Uri Address => new($"http://127.0.0.1:{Port}/");

    /// <summary>Its output so far: the calls, and those that were cancelled.</summary>
    public IReadOnlyList<string> Lines => [.. _server?.Lines ?? _lines];

    /// <summary>Those of .NET.</summary>
    private static string[] Libraries => [GrpcDotNetServer.Http2, GrpcDotNetServer.Web, GrpcDotNetServer.WebText];

    public static async Task<ForeignServer> StartAsync(string name, params string[] options)
    {
        string folder = Directory.CreateTempSubdirectory("millrace-peer-").FullName;
        if (Libraries.Contains(name))
        {
            return new ForeignServer(folder, await GrpcDotNetServer.StartAsync(name, folder, options), name);
        }

        string scripts = Path.Combine(Repository.Root, "tests", "interop", "grpc");
        (string program, string[] first) = name switch
        {
            "Python" => ("/usr/bin/python3", (string[])[Path.Combine(scripts, "python", "peer.py")]),
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
        return new ForeignServer(folder, process, JsonDocument.Parse(line).RootElement.GetProperty("port").GetInt32());
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
            options.Protocol = Protocol;
            change?.Invoke(options);
        });

    /// <summary>Waits until it has reported that a method was called.</summary>
    public Task AssertCalledAsync(string method) => AssertReportedAsync("method", method);

    /// <summary>Waits until it has reported that a call was cancelled.</summary>
    public Task AssertCancelledAsync(string method) => AssertReportedAsync("cancelled", method);

    /// <summary>Whether it reported that a call was cancelled.</summary>
    public bool HasCancelled(string method) => HasReported("cancelled", method);

    public async ValueTask DisposeAsync()
    {
        try
        {
            await EndAsync();
        }
        finally
        {
            Directory.Delete(Folder, recursive: true);
        }
    }

    private async Task EndAsync()
    {
        if (_process is null)
        {
            await _server!.DisposeAsync();
            return;
        }

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
        }
    }

    private async Task AssertReportedAsync(string field, string text)
    {
        for (long end = Environment.TickCount64 + (long)Patience.TotalMilliseconds; !HasReported(field, text); await Task.Delay(10))
        {
            Assert.True(Environment.TickCount64 < end, $"It did not say that: {string.Join('\n', Lines)}");
        }
    }

    private bool HasReported(string field, string text) => Lines.Any(
        line => JsonDocument.Parse(line).RootElement.TryGetProperty(field, out JsonElement said) && said.GetString() == text);

    private async Task ReadAsync(StreamReader output)
    {
        while (await output.ReadLineAsync() is { } line)
        {
            _lines.Enqueue(line);
        }
    }
}
