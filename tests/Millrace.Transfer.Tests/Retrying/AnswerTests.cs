using System.IO.Pipelines;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Retrying;

/// <summary>Which refusals of a real server are tried again.</summary>
public sealed class AnswerTests
{
    private static readonly TimeSpan Asked = TimeSpan.FromSeconds(7);

    [Fact]
    public async Task Busy_server_is_retried_after_the_time_it_asks_for()
    {
        await using TestServer server = await StartBusyAsync();
        byte[] content = server.Write("x", 100_000);
        using var http = new HttpClient();
        var pipe = new Pipe();
        using var body = new StreamContent(pipe.Reader.AsStream());
        Task<HttpResponseMessage> other = http.PutAsync(new Uri(server.Files, "other"), body);
        await OccupyAsync(server, pipe.Writer);

        // The place is given free when the client waits as long as it was asked to, and only then.
        var clock = new PassingClock(Asked, () => pipe.Writer.Complete());
        using var client = new TransferClient(
            server.Files,
            new HttpClient { Timeout = Timeout.InfiniteTimeSpan },
            new TransferClientOptions { MaxAttempts = 100_000 },
            ownsClient: true,
            clock);
        using var received = new MemoryStream();
        TransferResult result = await client.GetAsync(Clients.Name("x"), received);

        Assert.True(clock.Waits > 0, "It did not wait.");
        Assert.True(result.Attempts > 1, "It was not tried again.");
        Assert.Equal(content, received.ToArray());
        (await other).Dispose();
    }

    [Fact]
    public async Task Busy_server_is_reported_with_its_retry_time()
    {
        await using TestServer server = await StartBusyAsync();
        using var http = new HttpClient();
        var pipe = new Pipe();
        using var body = new StreamContent(pipe.Reader.AsStream());
        Task<HttpResponseMessage> other = http.PutAsync(new Uri(server.Files, "other"), body);
        await OccupyAsync(server, pipe.Writer);
        using TransferClient client = server.Connect(options => options.MaxAttempts = 1);

        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            () => client.PutAsync(new MemoryStream(new byte[10]), Clients.Name("x")));

        Assert.Equal((TransferError.TooManyTransfers, 429, Asked), (exception.Error, exception.Status, exception.RetryAfter));
        Assert.Contains("Try again when one has finished", exception.Message, StringComparison.Ordinal);
        await pipe.Writer.CompleteAsync();
        (await other).Dispose();
    }

    [Theory]
    [InlineData(TransferProtocol.Http1, 2000)]
    [InlineData(TransferProtocol.Http1, 1_000_000)]
    [InlineData(TransferProtocol.Tus, 1_000_000)]
    public async Task Full_server_is_not_retried(TransferProtocol protocol, int size)
    {
        await using TestServer server = await TestServer.StartAsync(
            options => options.Store = new LocalFileStoreOptions { MaxTotalBytes = 1000 });
        var handler = new CountingHandler();
        using var client = new TransferClient(
            server.Files, handler, disposeHandler: true, new TransferClientOptions { Protocol = protocol });

        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            () => client.PutAsync(new MemoryStream(new byte[size]), Clients.Name("x")));

        Assert.Equal((TransferError.NoSpace, 507), (exception.Error, exception.Status));
        Assert.Equal(1, handler.Uploads);
        Assert.Empty(server.Visible());
    }

    [Theory]
    [InlineData(TransferProtocol.Auto)]
    [InlineData(TransferProtocol.Tus)]
    [InlineData(TransferProtocol.GrpcWeb)]
    public async Task Connection_that_ends_before_its_first_request_is_retried(TransferProtocol protocol)
    {
        await using TestServer server = await TestServer.StartAsync();
        var failed = new HashSet<string>();
        var handler = new CountingHandler
        {
            Watch = request =>
            {
                if (failed.Add($"{request.Method} {request.RequestUri!.AbsolutePath}"))
                {
                    throw new SocketException((int)SocketError.NotConnected);
                }
            },
        };
        using var client = new TransferClient(
            server.Files, handler, disposeHandler: true, new TransferClientOptions { Protocol = protocol, FirstDelay = TimeSpan.FromMilliseconds(1) });
        byte[] content = new byte[1_000_000];
        using var received = new MemoryStream();

        await client.PutAsync(new MemoryStream(content), Clients.Name("x"));
        await client.GetAsync(Clients.Name("x"), received);

        Assert.Equal(content, received.ToArray());
        Assert.True(failed.Count > 2, string.Join(", ", failed));
    }

    [Fact]
    public async Task Server_that_is_briefly_away_is_retried()
    {
        using var folder = new TemporaryFolder();
        await using var store = new LocalFileStore(folder.Path);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddMillraceTransfer(static access => access.OpenWithoutTokens = true);
        await using WebApplication application = builder.Build();
        int refused = 0;
        application.Use(next => context =>
        {
            // A proxy's response while its server restarts.
            if (context.Request.Path.StartsWithSegments("/files", StringComparison.Ordinal) && Interlocked.Increment(ref refused) <= 2)
            {
                context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
                return Task.CompletedTask;
            }

            return next(context);
        });
        application.MapMillraceFiles("/files", store);
        await application.StartAsync();
        using TransferClient client = Clients.To(new Uri($"{application.Urls.First()}/files/"));
        byte[] content = Content.Random(100_000);

        TransferResult result = await client.PutAsync(new MemoryStream(content), Clients.Name("x"));

        Assert.Equal(3, result.Attempts);
        Assert.Equal(content, await File.ReadAllBytesAsync(folder["x"]));
        await application.StopAsync();
    }

    private static Task<TestServer> StartBusyAsync() => TestServer.StartAsync(options =>
    {
        options.Limits = new TransferLimits { MaxTransfers = 1, RetryAfter = Asked, MinReceiveRate = 0 };
    });

    /// <summary>Begins an upload that goes on until its pipe is completed.</summary>
    private static async Task OccupyAsync(TestServer server, PipeWriter upload)
    {
        // Less may wait in a buffer for more.
        await upload.WriteAsync(new byte[256 * 1024]);
        using var bound = new CancellationTokenSource(TimeSpan.FromMinutes(5));
        while (server.Running == 0)
        {
            await Task.Delay(5, bound.Token);
        }
    }
}
