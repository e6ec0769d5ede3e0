using System.Globalization;

namespace Millrace.Cli.Tests.Serving;

/// <summary>Requests over HTTP/2 whose bodies nobody reads, from clients that accept no byte of the response.</summary>
public sealed class UnreadBodyTests : CommandTests
{
    private const int MB = 1_000_000;

    /// <summary>The window that the server gives each connection, and more than it may keep of it.</summary>
    private const int FloodBytes = 16 * 1024 * 1024;

    private static readonly byte[] Payload = new byte[RawHttp2.LargestPayload];

    [NeedsTheory(Need.Linux)]
    [InlineData(60)]
    [InlineData(300)]
    public async Task Unread_bodies_take_no_memory(int count)
    {
        using ServedCommand serve = await StartAsync();
        await FloodAsync(serve, count, "GET", () => Assert.InRange(MemoryOf(serve, "VmHWM"), 0, 150 * MB));
    }

    /// <summary>Until the server knows that it refuses an upload, it takes as much of it as of any other.</summary>
    [NeedsFact(Need.Linux)]
    public async Task Memory_of_refused_uploads_is_given_back()
    {
        using ServedCommand serve = await StartAsync();
        await FloodAsync(serve, 60, "PUT", () => { });
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

        await Bounded.UntilAsync(() => MemoryOf(serve, "VmRSS") < 100 * MB);
    }

    /// <summary>Begins requests of several kinds on one connection, until the server has taken or refused a whole window.</summary>
    private static async Task<RawHttp2> FloodAsync(int port, int index, string method)
    {
        string[] paths = ["/files/", "/files/large", "/none", "/files/?archive=zip"];
        RawHttp2 connection = await RawHttp2.OpenAsync(port, window: 0);
        bool open = true;
        for (int stream = 1; stream < 9 && open; stream += 2)
        {
            open = await connection.RequestAsync(stream, method, paths[(index + stream / 2) % paths.Length], end: false);
            open = open && await FloodAsync(connection, stream, FloodBytes / 4);
        }

        return connection;
    }

    /// <summary>Sends DATA whatever the server says; false when it has closed the connection.</summary>
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

    private static long MemoryOf(ServedCommand serve, string field)
    {
        int process = serve.Ready.GetProperty("pid").GetInt32();
        string line = File.ReadLines($"/proc/{process}/status").Single(line => line.StartsWith(field + ":", StringComparison.Ordinal));
        return 1024 * long.Parse(line.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture);
    }
}
