using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Uploading;

public sealed class RefusedUploadTests : ServerTest
{
    [Theory]
    [InlineData(TransferProtocol.Http1, 100, 412)]
    [InlineData(TransferProtocol.Http1, 1_000_000, 412)]
    [InlineData(TransferProtocol.Tus, 1_000_000, 412)]
    [InlineData(TransferProtocol.Grpc, 100, 200)]
    [InlineData(TransferProtocol.Grpc, 1_000_000, 200)]
    [InlineData(TransferProtocol.GrpcWeb, 100, 200)]
    [InlineData(TransferProtocol.GrpcWebText, 1_000_000, 200)]
    public async Task A_taken_name_is_refused_for_a_new_file(TransferProtocol protocol, int size, int status)
    {
        byte[] before = Server.Write("x", 10, seed: 9);
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);

        TransferException exception = await Fails.WithAsync(TransferError.AlreadyExists, () => client.PutAsync(
            new MemoryStream(new byte[size]),
            Clients.Name("x"),
            new PutOptions { Precondition = new WritePrecondition { CreateNew = true } }));

        Assert.Equal(status, exception.Status);
        Assert.Equal(protocol, exception.Protocol);
        Assert.Equal("x", exception.Name);
        Assert.Equal(before, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Fact]
    public async Task More_than_the_server_accepts_is_refused_before_anything_is_sent()
    {
        await using TestServer server = await TestServer.StartAsync(
            options => options.Store = new LocalFileStoreOptions { MaxFileBytes = 1000 });
        using TransferClient client = server.Connect();

        await Fails.WithAsync(TransferError.TooLarge, () => client.PutAsync(new MemoryStream(new byte[1001]), Clients.Name("x")));
        Assert.Empty(server.Visible());
    }

    [Theory, InlineData(TransferProtocol.Http1), InlineData(TransferProtocol.Http2), InlineData(TransferProtocol.Tus), InlineData(TransferProtocol.Grpc)]
    public async Task Refusal_in_the_middle_of_a_request_keeps_its_reason(TransferProtocol protocol)
    {
        await using TestServer server = await TestServer.StartAsync(
            options => options.Store = new LocalFileStoreOptions { MaxTotalBytes = 3_000_000 });
        using TransferClient client = server.Connect(options => options.Protocol = protocol);

        TransferException exception = await Fails.WithAsync(TransferError.NoSpace, () => client.PutAsync(Long(), Clients.Name("x")));

        Assert.Contains("The store is too full for 'x'", exception.Message, StringComparison.Ordinal);
        Assert.False(exception.IsForeign);
    }

    [Fact]
    public async Task Missing_server_is_reported_after_the_last_attempt()
    {
        await using var relay = new TestRelay(() => 9);
        var handler = new CountingHandler();
        using var client = new TransferClient(
            relay.Files,
            handler,
            disposeHandler: true,
            new TransferClientOptions { MaxAttempts = 3, FirstDelay = TimeSpan.FromMilliseconds(2) });

        TransferException exception = await Fails.WithAsync(
            TransferError.Disconnected, () => client.PutAsync(new MemoryStream(new byte[10]), Clients.Name("x")));

        Assert.Contains(relay.Files.Authority, exception.Message, StringComparison.Ordinal);

        // Not connections: HttpClient itself repeats a request whose connection ended without any answer.
        Assert.Equal(3, handler.Gets);
    }

    [Fact]
    public async Task Protocol_not_offered_is_refused_with_those_that_are()
    {
        await using TestServer server = await TestServer.StartAsync(options =>
        {
            options.Http2Port = null;
            options.OfferHttp2Port = false;
        });
        using TransferClient client = server.Connect(options => options.Protocol = TransferProtocol.Http2);

        TransferException exception = await Fails.WithAsync(
            TransferError.ProtocolNotOffered, () => client.PutAsync(new MemoryStream(new byte[10]), Clients.Name("x")));

        Assert.Contains("http1, tus", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Failing_source_is_not_retried()
    {
        using TransferClient client = Server.Connect();

        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            () => client.PutAsync(Failing(), Clients.Name("x")));

        Assert.IsType<InvalidDataException>(exception.InnerException);
        Assert.Empty(Server.Visible());
    }

    private static async IAsyncEnumerable<ReadOnlyMemory<byte>> Long()
    {
        for (int i = 0; i < 5000; i++)
        {
            await Task.Yield();
            yield return new byte[64 * 1024];
        }
    }

    private static async IAsyncEnumerable<ReadOnlyMemory<byte>> Failing()
    {
        for (int i = 0; i < 20; i++)
        {
            await Task.Yield();
            yield return new byte[64 * 1024];
        }

        throw new InvalidDataException("The source is broken.");
    }
}
