namespace Millrace.Transfer.Tests.Grpc;

/// <summary>Addresses and uploads that several protocols share.</summary>
public sealed class SwitchedProtocolTests : ServerTest
{
    [Theory]
    [InlineData(TransferProtocol.Http1, TransferProtocol.GrpcWeb)]
    [InlineData(TransferProtocol.GrpcWeb, TransferProtocol.Http1)]
    [InlineData(TransferProtocol.GrpcWebText, TransferProtocol.Tus)]
    public async Task Upload_resumes_over_another_protocol(TransferProtocol one, TransferProtocol other)
    {
        byte[] content = Content.Random(24_000_000);
        string path = Folder.Write("x", content);
        await using TestRelay relay = Server.Behind(
            one, _ => new RelayPlan { CutUpAfter = 18_000_000, Once = true });
        using (TransferClient first = Clients.Resuming(relay.Files, Folder, one, attempts: 1))
        {
            await Assert.ThrowsAsync<TransferException>(
                () => first.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true }));
        }

        using TransferClient second = Clients.Resuming(relay.Files, Folder, other, attempts: 10);
        TransferResult result = await second.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true });

        Assert.InRange(result.BytesSent, 1, content.Length - 1_000_000);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Fact]
    public async Task Address_of_the_HTTP_2_port_is_accepted()
    {
        using TransferClient client = Clients.To(
            new Uri($"http://127.0.0.1:{Server.PortOf(TransferProtocol.Grpc)}/files/"), options => options.Protocol = TransferProtocol.Grpc);
        byte[] content = Content.Random(1_000_000);

        await client.PutAsync(new MemoryStream(content), Clients.Name("x"));

        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
        Assert.NotEqual(0, (await client.DescribeAsync()).Version);
    }
}
