using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Tests.Uploading;

/// <summary>Uploads through proxies that refuse large requests, or end long ones.</summary>
public sealed class LimitedRequestTests : ServerTest
{
    private const int Limit = 1024 * 1024;

    public static TheoryData<TransferProtocol> Protocols { get; } =
        [TransferProtocol.Http1, TransferProtocol.Tus, TransferProtocol.GrpcWeb, TransferProtocol.GrpcWebText];

    [Theory, MemberData(nameof(Protocols))]
    public async Task Requests_become_as_small_as_the_proxy_allows(TransferProtocol protocol)
    {
        byte[] content = Content.Random(5_000_000);
        await using LimitingProxy proxy = await new LimitingProxy { MaxBytes = Limit }.StartAsync(Server.Port);
        using TransferClient client = Connect(proxy, protocol);

        await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));
        int refused = proxy.Refused;
        await client.PutAsync(Folder.Write("y", content), Clients.Name("y"));

        Assert.InRange(refused, 1, 4);
        Assert.Equal(refused, proxy.Refused);
        Assert.InRange(proxy.Longest, Limit / 2, Limit);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("y")));
    }

    [Theory, InlineData(TransferProtocol.Http1), InlineData(TransferProtocol.Tus), InlineData(TransferProtocol.GrpcWeb)]
    public async Task Part_after_a_cut_is_smaller_until_it_gets_through(TransferProtocol protocol)
    {
        byte[] content = Content.Random(40_000_000);
        await using LimitingProxy proxy = await new LimitingProxy { CutAfter = 3_000_000 }.StartAsync(Server.Port);
        using TransferClient client = Connect(proxy, protocol);

        await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));

        Assert.NotEqual(0, proxy.Cut);
        Assert.InRange(proxy.Received, content.Length, content.Length * 3 / 2);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Theory, InlineData(TransferProtocol.Http1), InlineData(TransferProtocol.Tus)]
    public async Task Request_that_was_cut_reads_no_more_when_the_next_one_begins(TransferProtocol protocol)
    {
        byte[] content = Content.Random(20_000_000);
        await using var source = new HeldStream(content, holdAt: 3_100_000);
        bool isStillRead = false;
        LimitingProxy proxy = null!;
        proxy = new LimitingProxy
        {
            CutAfter = 3_000_000,
            Answers = _ =>
            {
                if (proxy.Cut > 0)
                {
                    isStillRead |= source.IsHeld;
                    source.Release();
                }

                return false;
            },
        };
        await using (await proxy.StartAsync(Server.Port))
        {
            // Without digests nothing but a request's body reads the source.
            using TransferClient client = Clients.To(
                proxy.Files, options => (options.Protocol, options.MaxConnections, options.VerifyDigests) = (protocol, 1, false));
            await client.PutAsync(source, Clients.Name("x")).Soon();
        }

        Assert.True(source.WasHeld);
        Assert.False(isStillRead);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Theory, MemberData(nameof(Protocols))]
    public async Task Announced_limit_is_obeyed_from_the_first_request(TransferProtocol protocol)
    {
        byte[] content = Content.Random(5_000_000);
        await using TestServer server = await TestServer.StartAsync(options => options.Endpoints.MaxRequestBytes = Limit);
        await using LimitingProxy proxy = await new LimitingProxy { MaxBytes = Limit }.StartAsync(server.Port);
        using TransferClient client = Connect(proxy, protocol);

        TransferResult result = await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));

        Assert.Equal((0, 1), (proxy.Refused, result.Attempts));
        Assert.InRange(proxy.Longest, Limit / 2, Limit);
        Assert.Equal(content, await File.ReadAllBytesAsync(server.PathOf("x")));
    }

    [Fact]
    public async Task Refusal_of_the_smallest_request_names_the_settings_of_proxies()
    {
        await using LimitingProxy proxy = await new LimitingProxy { MaxBytes = 1000 }.StartAsync(Server.Port);
        using TransferClient client = Connect(proxy, TransferProtocol.Http1);
        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            () => client.PutAsync(Folder.Write("x", Content.Random(5_000_000)), Clients.Name("x")));
        Assert.Equal((TransferError.TooLarge, 413), (exception.Error, exception.Status));
        Assert.Contains("client_max_body_size", exception.Message, StringComparison.Ordinal);
    }

    [Theory, InlineData(TransferProtocol.Http1), InlineData(TransferProtocol.Tus)]
    public async Task Proxy_that_refuses_incremental_delivery_is_not_asked_for_it_again(TransferProtocol protocol)
    {
        byte[] content = Content.Random(5_000_000);
        int incremental = 0;
        await using LimitingProxy proxy = await new LimitingProxy
        {
            Answers = context =>
            {
                if (context.Request.Headers["Incremental"] != "?1")
                {
                    return false;
                }

                incremental++;
                context.Response.StatusCode = StatusCodes.Status501NotImplemented;
                context.Response.Headers["Proxy-Status"] = "proxy; error=incremental_refused";
                return true;
            },
        }.StartAsync(Server.Port);
        using TransferClient client = Connect(proxy, protocol);

        await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));

        Assert.Equal(1, incremental);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    /// <remarks>One connection: on a busy machine loopback is a long way, and uploads are divided.</remarks>
    private static TransferClient Connect(LimitingProxy proxy, TransferProtocol protocol) =>
        Clients.To(proxy.Files, options => (options.Protocol, options.MaxConnections) = (protocol, 1));

    /// <summary>A source whose first read from a position on takes until it is released, or canceled.</summary>
    private sealed class HeldStream(byte[] content, long holdAt) : MemoryStream(content, writable: false)
    {
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _held;

        public bool WasHeld { get; private set; }

        public bool IsHeld => Volatile.Read(ref _held) > 0;

        public void Release() => _released.TrySetResult();

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            WasHeld |= Position >= holdAt;

            // Later reads may be beside the beginning of the next request.
            if (Position >= holdAt && !_released.Task.IsCompleted)
            {
                Interlocked.Increment(ref _held);
                try
                {
                    await _released.Task.WaitAsync(cancellationToken);
                }
                finally
                {
                    Interlocked.Decrement(ref _held);
                }
            }

            return await base.ReadAsync(buffer, cancellationToken);
        }
    }
}
