using System.Diagnostics;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace serve` with as many connections as a busy page has, each of which was used once.</summary>
[Trait("Tier", "Soak")]
public sealed class ManyConnectionsTests : CommandTests
{
    private const int Connections = 10_000;

    /// <summary>Requests a file on each connection, and keeps all of them until its input ends.</summary>
    private const string Client = """
        import resource, socket, sys
        port, count = int(sys.argv[1]), int(sys.argv[2])
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        def use(connection):
            connection.sendall(b"GET /files/small HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b"\r\n\r\nsmall"):
                received = connection.recv(65536)
                if not received: sys.exit("closed after " + repr(answer))
                answer += received
        def connect():
            connection = socket.create_connection(("127.0.0.1", port))
            use(connection)
            return connection
        connections = [connect() for _ in range(count)]
        print("connected", flush=True)
        sys.stdin.readline()
        for connection in connections: use(connection)
        print("used again", flush=True)
        sys.stdin.readline()
        """;

    public ManyConnectionsTests() => IsHosted = false;

    [NeedsFact(Need.Linux)]
    public async Task Idle_connections_take_little_and_are_served_when_they_ask_again()
    {
        Folder.Write("files/small", "small"u8.ToArray());
        using ServedCommand serve = await ServeAsync("files", "--max-connections", $"{Connections + 10}");

        // The first requests allocate buffers and compile code once, which would count as memory of their connections.
        for (int i = 0; i < 200; i++)
        {
            Assert.Equal("small", await serve.Client.GetStringAsync("files/small"));
        }

        int handles = serve.OpenHandles;
        long before = serve.MemoryOf("RssAnon");
        var start = new ProcessStartInfo("python3", ["-c", Client, $"{serve.Port}", $"{Connections}"])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process client = Process.Start(start)!;
        try
        {
            Task<string> errors = client.StandardError.ReadToEndAsync();
            Assert.True(await client.StandardOutput.ReadLineAsync().Soon() == "connected", client.HasExited ? await errors : "");
            Assert.InRange(serve.OpenHandles, Connections, int.MaxValue);
            using (HttpResponseMessage health = await serve.Client.GetAsync("health"))
            {
                Assert.True(health.IsSuccessStatusCode);
            }

            // 16 KB for each, of which Kestrel itself takes most: a buffer of 256 KiB for each would be 2.6 GB.
            Assert.InRange(serve.MemoryOf("RssAnon") - before, 0, Connections * 16_000L);
            await client.StandardInput.WriteLineAsync();
            Assert.True(await client.StandardOutput.ReadLineAsync().Soon() == "used again", client.HasExited ? await errors : "");
        }
        finally
        {
            client.Kill();
        }

        await Bounded.UntilAsync(() => serve.OpenHandles <= handles + 5);
    }
}
