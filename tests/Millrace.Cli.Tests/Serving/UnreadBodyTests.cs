using System.Globalization;

namespace Millrace.Cli.Tests.Serving;

/// <summary>Requests over HTTP/2 whose bodies are not read, from clients that accept no byte of the response.</summary>
[Trait("Tier", "All")]
public sealed class UnreadBodyTests : CommandTests
{
    private const int MB = 1_000_000;

    /// <summary>The window that the server gives each connection, and more than it may keep of it.</summary>
    private const int FloodBytes = 16 * 1024 * 1024;

    /// <summary>Stands for an upload over gRPC, among the methods.</summary>
    private const string Call = "gRPC";

    private static readonly byte[] Payload = new byte[RawHttp2.LargestPayload];

    public UnreadBodyTests() => IsHosted = false;

    [NeedsTheory(Need.Linux)]
    [InlineData(60)]
    [InlineData(300)]
    public async Task Unread_bodies_take_no_memory(int count)
    {
        using ServedCommand serve = await StartAsync();

        // While a server's first request waits for the just-in-time compiler, the bodies of the others come in.
        (await serve.Client.GetAsync("files/none")).Dispose();
        await FloodAsync(serve, count, "GET", () => Assert.InRange(serve.MemoryOf("VmHWM"), 0, 150 * MB));
    }

    /// <summary>Until the server knows that it refuses an upload, it takes as much of it as of any other.</summary>
    /// <remarks>Blocks of memory come from mmap(2). Without it, malloc keeps freed memory.</remarks>
    [NeedsTheory(Need.Native)]
    [InlineData("PUT")]
    [InlineData(Call)]
    public async Task Memory_of_refused_uploads_is_given_back(string method)
    {
        using ServedCommand serve = await StartAsync();
        await FloodAsync(serve, 60, method, () => { });
    }

    /// <summary>
    /// An upload that expects 100 Continue is not read while that cannot be sent, because the client does not receive a download.
    /// </summary>
    [NeedsTheory(Need.Native)]
    [InlineData(60)]
    [InlineData(300)]
    public async Task Uploads_that_cannot_be_read_stay_within_the_limit_while_others_are_served(int count)
    {
        const int LimitMiB = 256;
        Directory.CreateDirectory(Folder["files"]);
        await using (FileStream endless = File.Create(Folder["files/endless"]))
        {
            endless.SetLength(1_000 * MB);
        }

        byte[] honest = Write("honest", 40 * MB);
        using ServedCommand serve = await ServeAsync("files", "--max-buffered", $"{LimitMiB}MiB", "--max-transfers", "1000");
        RawHttp2[] connections = await StallAsync(serve, count);
        try
        {
            bool[] taken = await Task.WhenAll(connections.Select(connection => FloodAsync(connection, 3, FloodBytes)));
            Assert.Contains(false, taken);
            using (HttpResponseMessage health = await serve.Client.GetAsync("health"))
            {
                Assert.True(health.IsSuccessStatusCode);
            }

            using (HttpResponseMessage put = await serve.Client.PutAsync("files/small", new ByteArrayContent([1])))
            {
                Assert.True(put.IsSuccessStatusCode);
            }

            foreach (string protocol in (string[])["http2", "grpc"])
            {
                await SucceedAsync("put", "honest", serve.Files + protocol, "--via", protocol);
                Assert.Equal(honest, await File.ReadAllBytesAsync(Folder[$"files/{protocol}"]));
            }

            // Twice: aborted connections give their memory back when their requests end, which takes its time on a busy machine. The
            // second part is for what each connection holds of the download, which is not enough to be chosen for.
            Assert.InRange(serve.MemoryOf("VmHWM"), 0, (((2L * LimitMiB) + (count / 2)) * 1024 * 1024) + (120 * MB));
        }
        finally
        {
            Array.ForEach(connections, connection => connection.Dispose());
        }

        // Without the files that it has mapped, which are no longer those of an idle server.
        await Bounded.UntilAsync(() => serve.MemoryOf("RssAnon") < 80 * MB);
        serve.Signal(Command.Terminate);
        Assert.Contains("unread or unsent", (await serve.EndAsync()).Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("GET", "/files/")]
    [InlineData("GET", "/files/large")]
    [InlineData("HEAD", "/files/large")]
    [InlineData("GET", "/files/?archive=tar")]
    [InlineData("DELETE", "/files/none")]
    [InlineData("OPTIONS", "/files/large")]
    [InlineData("GET", "/health")]
    [InlineData("GET", "/none")]
    public async Task Body_without_a_meaning_ends_its_connection(string method, string path)
    {
        using ServedCommand serve = await StartAsync();
        using RawHttp2 connection = await RawHttp2.OpenAsync(Http2PortOf(serve), window: 0);
        await connection.RequestAsync(1, method, path, end: false);
        await FloodAsync(connection, 1, FloodBytes);
        await connection.ReadToEndAsync();
    }

    [Fact]
    public async Task Body_without_a_meaning_resets_only_its_stream_beside_others()
    {
        using ServedCommand serve = await StartAsync();
        using RawHttp2 connection = await RawHttp2.OpenAsync(Http2PortOf(serve));
        await connection.RequestAsync(1, "PUT", "/files/new", end: false, ("expect", "100-continue"));
        Assert.NotNull(await connection.ReadUntilAsync(RawHttp2.Headers, stream: 1));
        await connection.SendAsync(new Http2Frame(RawHttp2.Data, 0, 1, Payload));

        await connection.RequestAsync(3, "GET", "/files/", end: false);
        await FloodAsync(connection, 3, 5 * Payload.Length);
        Http2Frame? reset = await connection.ReadUntilAsync(RawHttp2.ResetStream);
        Assert.Equal((3, 11), (reset!.Value.Stream, reset.Value.Number));

        await connection.SendAsync(new Http2Frame(RawHttp2.Data, RawHttp2.EndStream, 1, Payload));
        Assert.NotNull(await connection.ReadUntilAsync(RawHttp2.Headers, stream: 1));
        Assert.Equal(2 * Payload.Length, new FileInfo(Folder["files/new"]).Length);
    }

    [Theory]
    [InlineData("GET", "/files/small")]
    [InlineData("HEAD", "/files/small")]
    [InlineData("DELETE", "/files/small")]
    public async Task Small_body_without_a_meaning_is_discarded(string method, string path)
    {
        using ServedCommand serve = await StartAsync();
        using RawHttp2 connection = await RawHttp2.OpenAsync(Http2PortOf(serve));
        await connection.RequestAsync(1, method, path, end: false);
        await connection.SendAsync(new Http2Frame(RawHttp2.Data, 0, 1, Payload));
        await connection.SendAsync(new Http2Frame(RawHttp2.Data, RawHttp2.EndStream, 1, Payload));
        Http2Frame? last = await connection.ReadUntilAsync(RawHttp2.Headers, stream: 1);
        while (last is { } frame && (frame.Flags & RawHttp2.EndStream) == 0)
        {
            Assert.NotEqual(RawHttp2.ResetStream, frame.Type);
            last = await connection.ReadAsync();
        }

        Assert.NotNull(last);
    }

    [Fact]
    public async Task Refused_upload_is_answered_before_its_stream_is_reset()
    {
        using ServedCommand serve = await StartAsync();
        using RawHttp2 connection = await RawHttp2.OpenAsync(Http2PortOf(serve));
        await connection.RequestAsync(1, "PUT", "/files/a%2Fb", end: false);
        await connection.SendAsync(new Http2Frame(RawHttp2.Data, 0, 1, Payload));
        Http2Frame? last;
        do
        {
            last = await connection.ReadAsync();
            Assert.NotEqual(RawHttp2.ResetStream, last?.Type);
        }
        while (last is { } frame && (frame.Stream != 1 || (frame.Flags & RawHttp2.EndStream) == 0));

        // The client is still sending: the rest is discarded, and its end ends the stream without a reset.
        await connection.SendAsync(new Http2Frame(RawHttp2.Data, RawHttp2.EndStream, 1, Payload));
        await connection.RequestAsync(3, "GET", "/files/small", end: true);
        Assert.NotNull(await connection.ReadUntilAsync(RawHttp2.Headers, stream: 3));
    }

    /// <summary>As gRPC's servers do: a client that had only the status would reset the stream, and could go on sending on it.</summary>
    [Fact]
    public async Task Refused_call_ends_with_its_status_and_a_reset_without_an_error()
    {
        using ServedCommand serve = await StartAsync();
        using RawHttp2 connection = await RawHttp2.OpenAsync(Http2PortOf(serve));
        for (int stream = 1; stream < 9; stream += 2)
        {
            await CallAsync(connection, stream);
            await connection.SendAsync(new Http2Frame(RawHttp2.Data, 0, stream, Payload));
            Http2Frame? status = await connection.ReadUntilAsync(RawHttp2.Headers, stream);
            Assert.Equal(RawHttp2.EndStream, status!.Value.Flags & RawHttp2.EndStream);
            Http2Frame? reset = await connection.ReadUntilAsync(RawHttp2.ResetStream);
            Assert.Equal((stream, 0), (reset!.Value.Stream, reset.Value.Number));

            // Bytes that the client sent before it knew are dropped.
            await connection.SendAsync(new Http2Frame(RawHttp2.Data, 0, stream, Payload));
        }

        await connection.RequestAsync(9, "GET", "/files/small", end: true);
        Assert.NotNull(await connection.ReadUntilAsync(RawHttp2.Headers, stream: 9));
    }

    private static int Http2PortOf(ServedCommand serve) => new Uri(serve.Ready.GetProperty("http2").GetString()!).Port;

    private async Task<ServedCommand> StartAsync()
    {
        Write("files/large", 4 * MB);
        Write("files/small", 10);
        for (int i = 0; i < 1_000; i++)
        {
            await File.WriteAllTextAsync(Folder[$"files/{i}"], "");
        }

        return await ServeAsync("files");
    }

    private static async Task FloodAsync(ServedCommand serve, int count, string method, Action check)
    {
        int port = Http2PortOf(serve);
        RawHttp2[] connections = await Task.WhenAll(Enumerable.Range(0, count).Select(i => FloodAsync(port, i, method)));
        try
        {
            check();
            using HttpResponseMessage answer = await serve.Client.GetAsync("health");
            Assert.True(answer.IsSuccessStatusCode);
        }
        finally
        {
            Array.ForEach(connections, connection => connection.Dispose());
        }

        await Bounded.UntilAsync(() => serve.MemoryOf("VmRSS") < 100 * MB);
    }

    /// <summary>Begins a download on each connection that is not received, and an upload whose 100 Continue waits for it.</summary>
    private async Task<RawHttp2[]> StallAsync(ServedCommand serve, int count)
    {
        int port = Http2PortOf(serve);
        RawHttp2[] connections = await Task.WhenAll(
            Enumerable.Range(0, count).Select(_ => RawHttp2.OpenAsync(port, int.MaxValue, receiveBuffer: 4096)));
        foreach (RawHttp2 connection in connections)
        {
            await connection.SendAsync(new Http2Frame(RawHttp2.WindowUpdate, 0, 0, new byte[] { 0x7f, 0, 0, 0 }));
            await connection.RequestAsync(1, "GET", "/files/endless", end: true);
        }

        // The sockets are full, also on a machine that gives the server no processor for a second.
        long before;
        long now = 0;
        do
        {
            before = now;
            await Task.Delay(TimeSpan.FromSeconds(1));
            now = BytesInSockets(port);
        }
        while (now != before || now == 0 || !serve.IsWaiting());
        for (int i = 0; i < count; i++)
        {
            await connections[i].RequestAsync(3, "PUT", $"/files/{i}", end: false, ("expect", "100-continue"));
        }

        await Bounded.UntilAsync(() => Directory.GetFiles(Folder["files"]).Length > count);
        return connections;
    }

    /// <summary>Bytes that wait to be sent by the sockets of a port: proc_net_tcp(5).</summary>
    private static long BytesInSockets(int port)
    {
        string local = string.Create(CultureInfo.InvariantCulture, $":{port:X4}");
        return File.ReadLines("/proc/net/tcp")
            .Select(line => line.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries))
            .Where(fields => fields[1].EndsWith(local, StringComparison.Ordinal))
            .Sum(fields => long.Parse(fields[4].Split(':')[0], NumberStyles.HexNumber, CultureInfo.InvariantCulture));
    }

    /// <summary>Begins requests of several kinds on one connection, until the server has taken or refused a whole window.</summary>
    private static async Task<RawHttp2> FloodAsync(int port, int index, string method)
    {
        string[] paths = ["/files/", "/files/large", "/none", "/files/?archive=zip"];
        RawHttp2 connection = await RawHttp2.OpenAsync(port, window: 0);
        bool open = true;
        for (int stream = 1; stream < 9 && open; stream += 2)
        {
            open = method == Call
                ? await CallAsync(connection, stream)
                : await connection.RequestAsync(stream, method, paths[(index + stream / 2) % paths.Length], end: false);
            open = open && await FloodAsync(connection, stream, FloodBytes / 4);
        }

        return connection;
    }

    private static Task<bool> CallAsync(RawHttp2 connection, int stream) => connection.RequestAsync(
        stream, "POST", "/millrace.v1.FileTransfer/Upload", end: false, ("content-type", "application/grpc"), ("te", "trailers"));

    /// <summary>Sends DATA whatever the server answers; false when it has closed the connection.</summary>
    private static async Task<bool> FloodAsync(RawHttp2 connection, int stream, int bytes)
    {
        for (int sent = 0; sent < bytes; sent += Payload.Length)
        {
            if (!await connection.SendAsync(new Http2Frame(RawHttp2.Data, 0, stream, Payload)))
            {
                return false;
            }
        }

        return true;
    }
}
