namespace Millrace.Transfer.Tests.Uploading;

public sealed class ContinuedUploadTests
{
    [Theory, EveryProtocol]
    public async Task Upload_of_an_earlier_client_resumes(TransferProtocol protocol)
    {
        await using TestServer server = await TestServer.StartAsync();
        using var folder = new TemporaryFolder();
        byte[] content = Content.Random(24_000_000);
        string path = folder.Write("x", content);
        await using TestRelay relay = server.Behind(
            protocol, _ => new RelayPlan { CutUpAfter = 18_000_000, Once = true });
        using (TransferClient first = Connect(relay, folder, protocol, attempts: 1))
        {
            await Assert.ThrowsAsync<TransferException>(
                () => first.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true }));
        }

        Assert.Empty(server.Visible());
        using TransferClient second = Connect(relay, folder, protocol, attempts: 10);
        TransferResult result = await second.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true });

        Assert.InRange(result.Sent, 1, content.Length - 1_000_000);
        Assert.Equal(content, await File.ReadAllBytesAsync(server.PathOf("x")));
        Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        Assert.Empty(Directory.GetFiles(folder["records"]));
    }

    [Fact]
    public async Task Changed_file_is_uploaded_from_the_start()
    {
        await using TestServer server = await TestServer.StartAsync();
        using var folder = new TemporaryFolder();
        string path = folder.Write("x", Content.Random(24_000_000));
        await using var relay = new TestRelay(
            () => server.Port, _ => new RelayPlan { CutUpAfter = 18_000_000, Once = true });
        using (TransferClient first = Connect(relay, folder, TransferProtocol.Http1, attempts: 1))
        {
            await Assert.ThrowsAsync<TransferException>(
                () => first.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true }));
        }

        byte[] content = Content.Random(23_000_000, seed: 5);
        folder.Write("x", content);
        using TransferClient second = Connect(relay, folder, TransferProtocol.Http1, attempts: 10);
        TransferResult result = await second.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true });

        Assert.Equal(content.Length, result.Sent);
        Assert.Equal(content, await File.ReadAllBytesAsync(server.PathOf("x")));
    }

    private static TransferClient Connect(TestRelay relay, TemporaryFolder folder, TransferProtocol protocol, int attempts)
    {
        var options = new TransferClientOptions
        {
            Protocol = protocol,
            MaxAttempts = attempts,
            FirstDelay = TimeSpan.FromMilliseconds(2),
        };
        var client = new HttpClient(TransferConnections.Create(options)) { Timeout = Timeout.InfiniteTimeSpan };
        return new TransferClient(relay.Files, client, options, ownsClient: true, TimeProvider.System)
        {
            RecordFolder = folder["records"],
        };
    }
}
