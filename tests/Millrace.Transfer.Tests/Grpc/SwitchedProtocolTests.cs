namespace Millrace.Transfer.Tests.Grpc;

/// <summary>Addresses and uploads that several protocols share.</summary>
public sealed class SwitchedProtocolTests
{
    [Theory]
    [InlineData(TransferProtocol.Http1, TransferProtocol.GrpcWeb)]
    [InlineData(TransferProtocol.GrpcWeb, TransferProtocol.Http1)]
    [InlineData(TransferProtocol.GrpcWebText, TransferProtocol.Tus)]
    public async Task Upload_resumes_over_another_protocol(TransferProtocol one, TransferProtocol other)
    {
        await using TestServer server = await TestServer.StartAsync();
        using var folder = new TemporaryFolder();
        byte[] content = Content.Random(24_000_000);
        string path = folder.Write("x", content);
        await using TestRelay relay = server.Behind(
            one, _ => new RelayPlan { CutUpAfter = 18_000_000, Once = true });
        using (TransferClient first = Connect(relay, folder, one, attempts: 1))
        {
            await Assert.ThrowsAsync<TransferException>(
                () => first.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true }));
        }

        using TransferClient second = Connect(relay, folder, other, attempts: 10);
        TransferResult result = await second.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true });

        Assert.InRange(result.Sent, 1, content.Length - 1_000_000);
        Assert.Equal(content, await File.ReadAllBytesAsync(server.PathOf("x")));
    }

    [Fact]
    public async Task Address_of_the_HTTP_2_port_is_accepted()
    {
        await using TestServer server = await TestServer.StartAsync();
        using TransferClient client = Clients.To(
            new Uri($"http://127.0.0.1:{server.PortOf(TransferProtocol.Grpc)}/files/"), options => options.Protocol = TransferProtocol.Grpc);
        byte[] content = Content.Random(1_000_000);

        await client.PutAsync(new MemoryStream(content), Clients.Name("x"));

        Assert.Equal(content, await File.ReadAllBytesAsync(server.PathOf("x")));
        Assert.NotEqual(0, (await client.DescribeAsync()).Version);
    }

    private static TransferClient Connect(TestRelay relay, TemporaryFolder folder, TransferProtocol protocol, int attempts)
    {
        var options = new TransferClientOptions { Protocol = protocol, MaxAttempts = attempts, FirstDelay = TimeSpan.FromMilliseconds(2) };
        var client = new HttpClient(TransferConnections.Create(options)) { Timeout = Timeout.InfiniteTimeSpan };
        return new TransferClient(relay.Files, client, options, ownsClient: true, TimeProvider.System)
        {
            RecordFolder = folder["records"],
        };
    }
}
