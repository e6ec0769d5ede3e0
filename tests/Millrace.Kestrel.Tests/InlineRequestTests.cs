using Microsoft.AspNetCore.Connections.Features;

namespace Millrace.Kestrel.Tests;

/// <summary>Which thread runs a request.</summary>
public sealed class InlineRequestTests
{
    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [NeedsFact(Need.Native)]
    public async Task Connection_that_allows_it_is_answered_by_the_thread_that_waits_for_events()
    {
        await using TestHost host = await TestHost.StartAsync(app => app.MapGet("/{inline}", (HttpContext context, bool inline) =>
        {
            context.Features.Get<IInlineRequestsFeature>()!.RunsInline = inline;
            return Results.Text(Thread.CurrentThread.Name == EventLoop.ThreadName ? "loop" : "pool");
        }));
        using Socket socket = await host.ConnectAsync();
        Assert.Equal("pool", await AskAsync(inline: true));

        // A request that arrives before the connection waits again is the pool's.
        await Bounded.UntilAsync(async () => await AskAsync(inline: true) == "loop");
        await AskAsync(inline: false);
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal("pool", await AskAsync(inline: false));
        }

        async Task<string> AskAsync(bool inline)
        {
            await socket.GetAsync($"/{inline}");
            return Encoding.ASCII.GetString((await socket.ReceiveResponseAsync()).Body);
        }
    }

    [NeedsFact(Need.Native)]
    public async Task Connection_with_tls_is_answered_in_the_pool_whatever_was_allowed_before()
    {
        using var certificate = FileResponseTests.MakeCertificate();
        await using TestHost host = await TestHost.StartAsync(
            app => app.MapGet("/", () => Thread.CurrentThread.Name == EventLoop.ThreadName ? "loop" : "pool"),
            kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen =>
            {
                listen.Use(next => connection =>
                {
                    connection.Features.Get<IInlineRequestsFeature>()!.RunsInline = true;
                    return next(connection);
                });
                listen.UseHttps(certificate);
            }));
        using var client = new HttpClient(new SocketsHttpHandler { SslOptions = { RemoteCertificateValidationCallback = (_, shown, _, _) => shown!.Equals(certificate) } });
        for (int i = 0; i < 50; i++)
        {
            Assert.Equal("pool", await client.GetStringAsync(host.Address));
        }
    }

    [Fact]
    public async Task Handler_that_blocks_the_receiving_thread_is_told_that_the_peer_is_gone()
    {
        bool isReceiving = false;
        await using TestHost host = await TestHost.StartAsync(app =>
        {
            // Otherwise the reader's continuation was queued. Calls of the transport at the end of a method leave no frame once they are optimized.
            app.MapGet("/", () => Results.Text($"{isReceiving |= !Environment.StackTrace.Contains("QueueUserWorkItem", StringComparison.Ordinal)}"));
            app.MapGet("/block", (HttpContext context) =>
            {
                CancellationToken closed = context.Features.Get<IConnectionLifetimeFeature>()!.ConnectionClosed;
                _started.SetResult();
                if (closed.WaitHandle.WaitOne(Bounded.Patience))
                {
                    _ended.SetResult();
                }
            });
        });
        using Socket socket = await host.ConnectAsync();
        await Bounded.UntilAsync(async () =>
        {
            // Not if it arrives before Kestrel waits for it.
            await socket.GetAsync("/");
            await socket.ReceiveResponseAsync();
            return isReceiving;
        });
        await socket.GetAsync("/block");
        await _started.Task.Soon();
        socket.Close(0);
        await _ended.Task.Soon();
    }
}
