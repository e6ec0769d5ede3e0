using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Millrace.Fuzz.Tests;

/// <summary>
/// `millrace serve` as a process, and its guarantees for all input: it answers and does not fail; its log
/// has no stack trace; its memory stays bounded; it neither shows nor changes anything beside its folder.
/// </summary>
public sealed partial class FuzzedServer : IDisposable
{
    public const int MaxFile = 100_000;
    public const string Secret = "what is beside the folder";

    private const long MaxResident = 400L << 20;

    // Longer than any answer takes on a busy machine; a case that waits as long has hung.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(5);

    // How Kestrel ends a connection whose header table a peer has damaged (its own index is out of range then). The other
    // connections do not notice.
    private const string EndOfOneConnection = "Connection processing ended abnormally";

    private static readonly TimeSpan _forAnAnswer = TimeSpan.FromMilliseconds(20);

    private readonly TemporaryFolder _folder = new();
    private readonly ConcurrentQueue<string> _log = new();
    private readonly Process _process;
    private readonly string[] _beside;
    private readonly byte[] _preface;

    public FuzzedServer()
        : this([])
    {
    }

    /// <param name="preface">What begins each connection that is not about damaged bytes.</param>
    /// <param name="options">More options of `millrace serve`.</param>
    internal FuzzedServer(byte[] preface, params string[] options)
    {
        _preface = preface;
        Directory.CreateDirectory(_folder["served"]);
        File.WriteAllText(_folder["secret.txt"], Secret);
        Directory.CreateDirectory(_folder["beside"]);
        File.WriteAllBytes(_folder["served/a.bin"], Pattern.Of(1000));
        File.WriteAllText(_folder["served/text.txt"], string.Concat(Enumerable.Repeat("a line of text\n", 200)));
        Directory.CreateDirectory(_folder["served/sub/deeper"]);
        File.WriteAllText(_folder["served/sub/b.txt"], "b");
        _beside = Beside();

        _process = Process.Start(
            TestedCommand.Prepare(
                [
                    "serve", _folder["served"], "--port", "0", "--h2-port", "0", "--json", "--max-file", $"{MaxFile}",
                    "--max-total", "64M", "--max-transfers", "10000", "--max-uploads", "1000000", "--max-uploads-total", "1000000", .. options,
                ]))!;
        _ = LogAsync(_process.StandardError);
        string ready = _process.StandardOutput.ReadLine()
            ?? throw new InvalidOperationException("millrace serve did not start: " + string.Join('\n', _log));
        _ = LogAsync(_process.StandardOutput);
        using JsonDocument document = JsonDocument.Parse(ready);
        Port = new Uri(document.RootElement.GetProperty("address").GetString()!).Port;
        Http2Port = new Uri(document.RootElement.GetProperty("http2").GetString()!).Port;
    }

    public int Port { get; }

    public int Http2Port { get; }

    public string Served => _folder["served"];

    /// <summary>Sends bytes in pieces and reads everything that comes back until the server closes or resets.</summary>
    /// <param name="whole">
    /// Whether the server can find the request's end, and closes after its answer. Otherwise the socket is shut down for
    /// sending, after a while in which the server may answer: Kestrel aborts a request whose client shuts down.
    /// </param>
    public async Task<byte[]> ExchangeAsync(Random random, byte[] bytes, int? port = null, bool whole = false)
    {
        using var limit = new CancellationTokenSource(Patience);
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync("127.0.0.1", port ?? Port, limit.Token);
        var received = new MemoryStream();
        Task reading = ReadAsync(socket, received, limit.Token);
        try
        {
            int pieces = random.Next(4) == 0 ? random.Next(2, 6) : 1;
            for (int sent = 0; sent < bytes.Length;)
            {
                int piece = pieces-- > 1 ? random.Next(bytes.Length - sent) + 1 : bytes.Length - sent;
                sent += await socket.SendAsync(bytes.AsMemory(sent, piece), limit.Token);
            }

            if (!whole)
            {
                await Task.WhenAny(reading, Task.Delay(_forAnAnswer, limit.Token));
                socket.Shutdown(SocketShutdown.Send);
            }
        }
        catch (SocketException)
        {
            // The server has closed it: it need not read refused bytes.
        }

        await reading;
        byte[] response = received.ToArray();
        Assert.True(response.AsSpan().IndexOf(Encoding.ASCII.GetBytes(Secret)) < 0, "The server showed a file outside its folder.");
        Match status = StatusLine().Match(Encoding.Latin1.GetString(response));
        Assert.False(status.Success && status.Groups["status"].Value == "500", "The server failed: " + Encoding.Latin1.GetString(response));
        return response;
    }

    /// <summary>The status of a response over HTTP/1.1; 0 when there is none.</summary>
    public static int Status(byte[] response)
    {
        Match line = StatusLine().Match(Encoding.Latin1.GetString(response));
        return line.Success ? int.Parse(line.Groups["status"].Value, CultureInfo.InvariantCulture) : 0;
    }

    public async Task CheckAsync()
    {
        Assert.False(_process.HasExited, "The server ended: " + string.Join('\n', _log.TakeLast(30)));
        byte[] health = await ExchangeAsync(
            new Random(1), [.. _preface, .. "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"u8], whole: true);
        Assert.Equal(200, Status(health));
        Assert.Equal(_beside, Beside());
        while (_log.TryDequeue(out string? line))
        {
            Assert.False(StackTrace().IsMatch(line) && !line.Contains(EndOfOneConnection, StringComparison.Ordinal), line);
        }

        _process.Refresh();
        Assert.True(_process.WorkingSet64 < MaxResident, $"The server takes {_process.WorkingSet64 >> 20} MiB.");
    }

    public void Dispose()
    {
        _process.Kill(entireProcessTree: true);
        _process.WaitForExit();
        _process.Dispose();
        _folder.Dispose();
    }

    private static async Task ReadAsync(Socket socket, MemoryStream received, CancellationToken cancellationToken)
    {
        byte[] buffer = new byte[16 << 10];
        try
        {
            while (await socket.ReceiveAsync(buffer, cancellationToken) is int count and > 0)
            {
                // Nothing here is as large: a server that sends without end must not fill the test's memory.
                Assert.True(received.Length < 64 << 20, "The server sent more than 64 MiB.");
                received.Write(buffer, 0, count);
            }
        }
        catch (SocketException)
        {
            // A reset ends the answer as well.
        }
    }

    // Reads as long as the server runs, so that it never waits for a full pipe.
    private async Task LogAsync(StreamReader output)
    {
        while (await output.ReadLineAsync() is { } line)
        {
            _log.Enqueue(line);
        }
    }

    private string[] Beside() =>
    [
        .. Directory.EnumerateFileSystemEntries(_folder.Path).Order(StringComparer.Ordinal),
        .. Directory.EnumerateFileSystemEntries(_folder["beside"]),
        File.ReadAllText(_folder["secret.txt"]),
    ];

    [GeneratedRegex(@"\AHTTP/1\.1 (?<status>[0-9]{3})")]
    private static partial Regex StatusLine();

    [GeneratedRegex(@"^\s+at |[Uu]nhandled|\\n   at ")]
    private static partial Regex StackTrace();
}
