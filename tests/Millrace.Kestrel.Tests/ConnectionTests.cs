using System.Collections.Concurrent;
using System.Diagnostics;
using Microsoft.AspNetCore.Connections.Features;
using Millrace.Kestrel.Interop;

namespace Millrace.Kestrel.Tests;

/// <summary>Lives and deaths of connections.</summary>
[Collection(nameof(SocketSend.FileCalls))]
public sealed class ConnectionTests : FolderTests
{
    private static readonly byte[] Text = "text"u8.ToArray();

    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Connection_that_the_peer_ends_is_told_to_a_handler_that_does_not_read(bool reset)
    {
        await using TestHost host = await TestHost.StartAsync(app => app.MapGet("/", async (HttpContext context) =>
        {
            CancellationToken closed = context.Features.Get<IConnectionLifetimeFeature>()!.ConnectionClosed;
            _started.SetResult();
            await Task.Delay(Timeout.Infinite, closed).ContinueWith(_ => { }, TaskScheduler.Default);
            _ended.SetResult();
        }));
        using Socket socket = await host.ConnectAsync();
        await socket.GetAsync("/");
        await _started.Task.Soon();
        if (reset)
        {
            socket.Close(0);
        }
        else
        {
            socket.Shutdown(SocketShutdown.Send);
        }

        await _ended.Task.Soon();
    }

    [Fact]
    public async Task End_that_comes_with_the_request_is_noticed_after_it()
    {
        await using TestHost host = await TestHost.StartAsync(app => app.MapPost("/", async (HttpContext context) =>
        {
            using var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body);
            return $"{body.Length}";
        }));
        byte[] request = Encoding.ASCII.GetBytes("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
        for (int i = 0; i < 50; i++)
        {
            using Socket socket = await host.ConnectAsync();
            await socket.SendAllAsync(request);
            await socket.SendAllAsync(new byte[100_000]);
            socket.Shutdown(SocketShutdown.Send);
            try
            {
                while (await socket.ReceiveAsync(new byte[1000]).Soon() > 0)
                {
                }
            }
            catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
            {
                // The end of a client's direction aborts its request.
            }
        }

        await Bounded.UntilAsync(() => host.Pool.RentedBytes == 0);
        Assert.Empty(host.Errors);
    }

    [Fact]
    public async Task Urgent_data_leaves_no_request_behind()
    {
        await using TestHost host = await TestHost.StartAsync(app => app.MapGet("/", () => Results.Text("text")));
        for (int i = 0; i < 50; i++)
        {
            using Socket socket = await host.ConnectAsync();
            socket.NoDelay = true;
            await socket.SendAllAsync("GET / HTTP/1.1\r\nHost: a\r\n"u8.ToArray());
            Assert.Equal(1, socket.Send("x"u8, SocketFlags.OutOfBand));
            await socket.SendAllAsync("\r\n"u8.ToArray());
            Assert.Equal(Text, (await socket.ReceiveResponseAsync()).Body);
        }
    }

    [Fact]
    public async Task Connection_is_traced_from_its_begin_to_its_end_and_is_not_the_parent_of_its_requests()
    {
        // No connection that the listener sees beside this one has its port.
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        int port = ((IPEndPoint)socket.LocalEndPoint!).Port;
        var seen = new ConcurrentQueue<Activity>();
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == MillraceSockets.DiagnosticsName,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = seen.Enqueue,
        };
        ActivitySource.AddActivityListener(listener);
        await using TestHost host = await TestHost.StartAsync(app => app.MapGet("/", async (HttpContext context) =>
        {
            context.Response.ContentLength = 4;
            await context.Response.WriteAsync(Activity.Current?.ParentId is null ? "none" : "some");
        }));
        await socket.ConnectAsync(IPAddress.Loopback, host.Address.Port);
        await socket.GetAsync("/");
        Assert.Equal("none", Encoding.ASCII.GetString((await socket.ReceiveResponseAsync()).Body));
        Assert.DoesNotContain(seen, each => port.Equals(each.GetTagItem("network.peer.port")));
        socket.Close();
        await Bounded.UntilAsync(() => seen.Any(each => port.Equals(each.GetTagItem("network.peer.port"))));
        Activity connection = seen.Single(each => port.Equals(each.GetTagItem("network.peer.port")));
        Assert.Equal(("millrace connection", "tcp"), (connection.OperationName, connection.GetTagItem("network.transport")));
        Assert.Equal("127.0.0.1", connection.GetTagItem("network.peer.address"));
        Assert.Null(connection.GetTagItem("error.type"));
    }

    [NeedsFact(Need.Wine, "closes a connection that should be reset")]
    public async Task Handler_that_aborts_resets_the_connection()
    {
        await using TestHost host = await TestHost.StartAsync(app => app.MapGet("/", async (HttpContext context) =>
        {
            context.Response.ContentLength = 100_000_000;
            ValueTask write = context.Response.Body.WriteAsync(new byte[50_000_000]);
            await Task.Run(context.Abort);
            await write;
            _ended.SetResult();
        }));
        using Socket socket = await host.ConnectAsync(TestHost.SmallBuffer);
        await socket.GetAsync("/");
        await _ended.Task.Soon();
        await Assert.ThrowsAnyAsync<IOException>(socket.ReceiveToEndAsync);
        await Bounded.UntilAsync(() => host.Pool.RentedBytes == 0);
    }

    [Theory]
    [InlineData("/file")]
    [InlineData("/memory")]
    [InlineData("/upload")]
    public async Task Thousand_connections_aborted_in_mid_transfer_leave_no_handle_and_no_block(string path)
    {
        string file = Folder.Write("file", new byte[20_000_000]);
        await using TestHost host = await TestHost.StartAsync(app =>
        {
            app.MapGet("/file", () => Results.File(file));
            app.MapGet("/memory", async (HttpContext context) =>
            {
                byte[] bytes = new byte[100_000];
                for (int i = 0; i < 200; i++)
                {
                    await context.Response.Body.WriteAsync(bytes);
                }
            });
            app.MapPost("/upload", async (HttpContext context) =>
            {
                byte[] bytes = new byte[10];
                while (await context.Request.Body.ReadAsync(bytes) > 0)
                {
                }
            });
        });
        int handles = OpenHandles(file);
        await AbortManyAsync(host, path, Soak.Times(1000, 5000));
        await Bounded.UntilAsync(() => OpenHandles(file) <= handles);
    }

    [Fact]
    public async Task Idle_connections_hold_no_block()
    {
        const int Connections = 1000;
        await using TestHost host = await TestHost.StartAsync(app =>
        {
            app.MapGet("/", () => Results.Text("text"));
            app.MapPost("/", async (HttpContext context) => await context.Request.Body.CopyToAsync(Stream.Null));
        });
        var sockets = new List<Socket>();
        for (int i = 0; i < Connections; i++)
        {
            Socket socket = await host.ConnectAsync();
            sockets.Add(socket);
            await socket.GetAsync("/");
            Assert.Equal(Text, (await socket.ReceiveResponseAsync()).Body);
        }

        await Bounded.UntilAsync(() => host.Pool.RentedBytes == 0);
        sockets.ForEach(socket => socket.Dispose());
    }

    [Fact]
    public async Task Upload_that_streams_is_received_in_larger_blocks()
    {
        byte[] content = Content.Random(20_000_000);
        byte[] received = [];
        await using TestHost host = await TestHost.StartAsync(app => app.MapPost("/", async (HttpContext context) =>
        {
            using var all = new MemoryStream();
            await context.Request.Body.CopyToAsync(all);
            received = all.ToArray();
        }));
        using var client = new HttpClient();
        using HttpResponseMessage response = await client.PostAsync(host.Address, new ByteArrayContent(content));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(content, received);
        Assert.True(host.Pool.PeakRentedBytes >= 64 * 1024, $"{host.Pool.PeakRentedBytes} bytes at once");
        await Bounded.UntilAsync(() => host.Pool.RentedBytes == 0);
    }

    [Fact]
    public async Task Body_that_nobody_reads_stops_being_received()
    {
        var release = new TaskCompletionSource();
        await using TestHost host = await TestHost.StartAsync(app => app.MapPost("/", async (HttpContext context) =>
        {
            _started.SetResult();
            await release.Task;
            await context.Request.Body.CopyToAsync(Stream.Null);
        }));
        using Socket socket = await host.ConnectAsync();
        await socket.SendAllAsync("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 50000000\r\n\r\n"u8.ToArray());
        await _started.Task.Soon();
        Task sending = socket.SendAllAsync(new byte[50_000_000]);
        await Bounded.UntilAsync(() => host.Pool.RentedBytes >= 1024 * 1024);
        Assert.False(sending.IsCompleted);
        Assert.True(host.Pool.PeakRentedBytes < 3 * 1024 * 1024, $"{host.Pool.PeakRentedBytes} bytes at once");
        release.SetResult();
        await sending.Soon();
        Assert.StartsWith("HTTP/1.1 200", Encoding.ASCII.GetString(await socket.ReceiveToEndAsync()));
    }

    [Fact]
    public async Task Slow_reader_makes_the_writer_wait()
    {
        long written = 0;
        await using TestHost host = await TestHost.StartAsync(app => app.MapGet("/", async (HttpContext context) =>
        {
            context.Response.ContentLength = 100_000_000;
            byte[] bytes = new byte[1_000_000];
            for (int i = 0; i < 100; i++)
            {
                ValueTask write = context.Response.Body.WriteAsync(bytes);
                if (!write.IsCompleted)
                {
                    _started.TrySetResult();
                }

                await write;
                written += bytes.Length;
            }
        }));
        using Socket socket = await host.ConnectAsync(TestHost.SmallBuffer);
        await socket.GetAsync("/", "Connection: close\r\n");
        await _started.Task.Soon();
        Assert.True(Volatile.Read(ref written) < 100_000_000);
        Assert.True(host.Pool.PeakRentedBytes < 3_000_000, $"{host.Pool.PeakRentedBytes} bytes at once");
        Assert.True((await socket.ReceiveToEndAsync()).Length > 100_000_000);
    }

    [Fact]
    public async Task Stop_lets_a_response_end_and_accepts_nobody_else()
    {
        var release = new TaskCompletionSource();
        TestHost host = await TestHost.StartAsync(app => app.MapGet("/", async () =>
        {
            _started.SetResult();
            await release.Task;
            return Results.Text("done");
        }));
        using Socket socket = await host.ConnectAsync();
        await socket.GetAsync("/");
        await _started.Task.Soon();
        Task stop = host.StopAsync();
        await Bounded.UntilAsync(async () =>
        {
            try
            {
                (await host.ConnectAsync()).Dispose();
                return false;
            }
            catch (SocketException)
            {
                return true;
            }
        });
        Assert.False(stop.IsCompleted);
        release.SetResult();
        Assert.EndsWith("done", Encoding.ASCII.GetString(await socket.ReceiveToEndAsync()));
        await stop.Soon();
        Assert.Equal(0, host.Pool.RentedBytes);
        await host.DisposeAsync();
    }

    [NeedsFact(Need.Unix)]
    public async Task Unix_socket_serves_files()
    {
        byte[] content = Content.Random(2_000_000);
        string file = Folder.Write("file", content);
        string path = Path.Combine(Path.GetTempPath(), $"millrace-{Guid.NewGuid():N}.sock");
        await using (TestHost host = await TestHost.StartAsync(
            app => app.MapGet("/", () => Results.File(file)), kestrel => kestrel.ListenUnixSocket(path)))
        {
            using HttpClient client = UnixClient.Create(path);
            Assert.Equal(content, await client.GetByteArrayAsync("http://localhost/"));
        }

        Assert.False(File.Exists(path));
    }

    [Theory]
    [InlineData("127.0.0.1", "127.0.0.1")]
    [InlineData("::1", "::1")]
    [InlineData("::", "127.0.0.1")]
    [InlineData("::", "::1")]
    public async Task Address_is_bound_as_Kestrel_binds_it(string listen, string connect)
    {
        if (!Socket.OSSupportsIPv6 && (listen + connect).Contains(':', StringComparison.Ordinal))
        {
            return;
        }

        await using TestHost host = await TestHost.StartAsync(
            app => app.MapGet("/", (HttpContext context) =>
            {
                Socket socket = context.Features.Get<IConnectionSocketFeature>()!.Socket;
                return $"{socket.NoDelay} {context.Connection.RemoteIpAddress}";
            }),
            kestrel => kestrel.Listen(IPAddress.Parse(listen), 0));
        using var client = new HttpClient();
        string text = await client.GetStringAsync(new UriBuilder("http", connect, host.Address.Port).Uri);
        Assert.StartsWith("True ", text);
        Assert.Equal(IPAddress.Parse(connect), IPAddress.Parse(text[5..]).IsIPv4MappedToIPv6
            ? IPAddress.Parse(text[5..]).MapToIPv4()
            : IPAddress.Parse(text[5..]));
    }

    [Fact]
    public async Task Address_in_use_is_reported_as_Kestrel_does()
    {
        await using TestHost host = await TestHost.StartAsync(app => app.MapGet("/", () => "text"));
        IOException exception = await Assert.ThrowsAsync<IOException>(() => TestHost.StartAsync(
            app => app.MapGet("/", () => "text"), kestrel => kestrel.Listen(IPAddress.Loopback, host.Address.Port)));
        Assert.IsType<Microsoft.AspNetCore.Connections.AddressInUseException>(exception.InnerException);
    }

    /// <summary>Sockets, and handles of a file, where the system lists them; assemblies that are loaded meanwhile have handles too.</summary>
    private static int OpenHandles(string file) => !OperatingSystem.IsLinux() ? 0 : Directory.GetFileSystemEntries("/proc/self/fd")
        .Select(handle => new FileInfo(handle).LinkTarget ?? "")
        .Count(target => target == file || target.StartsWith("socket:", StringComparison.Ordinal));

    private static async Task AbortManyAsync(TestHost host, string path, int count)
    {
        byte[] body = new byte[20_000];
        await Parallel.ForEachAsync(Enumerable.Range(0, count), new ParallelOptions { MaxDegreeOfParallelism = 20 }, async (i, _) =>
        {
            using Socket socket = await host.ConnectAsync(TestHost.SmallBuffer);
            if (path == "/upload")
            {
                await socket.SendAllAsync("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"u8.ToArray());
                await socket.SendAllAsync(body);
            }
            else
            {
                await socket.GetAsync(path);
                Assert.True(await socket.ReceiveAsync(body) > 0);
            }

            // By a reset, by an end, or by an end of one direction first.
            if (i % 3 == 0)
            {
                socket.Close(0);
            }
            else if (i % 3 == 1)
            {
                socket.Shutdown(SocketShutdown.Send);
            }
        });
        await Bounded.UntilAsync(() => host.Pool.RentedBytes == 0);
    }
}
