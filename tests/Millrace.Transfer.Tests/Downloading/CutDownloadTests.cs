namespace Millrace.Transfer.Tests.Downloading;

public sealed class CutDownloadTests
{
    [Theory, EveryProtocol(ProtocolSet.Downloads, false, true)]
    public async Task Downloads_that_are_cut_at_random_bytes_arrive_whole(TransferProtocol protocol, bool toStream)
    {
        await using TestServer server = await TestServer.StartAsync();
        using var folder = new TemporaryFolder();
        int times = Soak.Times(20, 500);
        long attempts = 0;
        for (int i = 0; i < times; i++)
        {
            var random = new Random(i);
            byte[] content = server.Write("x", random.Next(1, 3_000_000), i);
            await using TestRelay relay = server.Behind(protocol, connection => Plan(connection, random, content.Length));
            using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);
            using var stream = new MemoryStream();

            TransferResult result = toStream
                ? await client.GetAsync(Clients.Name("x"), stream)
                : await client.GetAsync(Clients.Name("x"), folder[$"{i}"]);

            attempts += result.Attempts;
            Assert.Equal(content, toStream ? stream.ToArray() : await File.ReadAllBytesAsync(folder[$"{i}"]));
            Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        }

        Assert.True(attempts > times, "No download was interrupted.");
        Assert.Equal(toStream ? 0 : times, folder.Files.Count);
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Bytes_already_here_are_not_requested_again(TransferProtocol protocol)
    {
        await using TestServer server = await TestServer.StartAsync();
        byte[] content = server.Write("x", 24_000_000);
        await using TestRelay relay = server.Behind(protocol, _ => new RelayPlan { CutDownAfter = 20_000_000, Once = true });
        using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);
        using var stream = new MemoryStream();

        TransferResult result = await client.GetAsync(Clients.Name("x"), stream);

        Assert.Equal(2, result.Attempts);
        Assert.Equal(content.Length, result.Sent);
        Assert.Equal(content, stream.ToArray());
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Replaced_file_ends_a_download_to_a_stream_with_Changed(TransferProtocol protocol)
    {
        await using TestServer server = await TestServer.StartAsync();
        server.Write("x", 24_000_000);
        await using TestRelay relay = server.Behind(protocol, connection =>
        {
            if (connection == 1)
            {
                server.Write("x", 23_000_000, seed: 2);
            }

            return connection == 0 ? new RelayPlan { CutDownAfter = 5_000_000 } : RelayPlan.Clear;
        });
        using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);

        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            () => client.GetAsync(Clients.Name("x"), Stream.Null));

        Assert.Equal(TransferError.Changed, exception.Error);
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Replaced_file_is_downloaded_again_to_a_path(TransferProtocol protocol)
    {
        await using TestServer server = await TestServer.StartAsync();
        using var folder = new TemporaryFolder();
        server.Write("x", 24_000_000);
        byte[]? second = null;
        await using TestRelay relay = server.Behind(protocol, connection =>
        {
            if (connection == 1)
            {
                second = server.Write("x", 23_000_000, seed: 2);
            }

            return connection == 0 ? new RelayPlan { CutDownAfter = 5_000_000 } : RelayPlan.Clear;
        });
        using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);

        await client.GetAsync(Clients.Name("x"), folder["x"]);

        Assert.Equal(second, await File.ReadAllBytesAsync(folder["x"]));
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Download_of_an_earlier_client_resumes(TransferProtocol protocol)
    {
        await using TestServer server = await TestServer.StartAsync();
        using var folder = new TemporaryFolder();
        byte[] content = server.Write("x", 24_000_000);

        // Not faster than it is read: of a connection that is cut HttpClient hands out nothing more that it has received.
        await using TestRelay relay = server.Behind(protocol, _ => new RelayPlan { CutDownAfter = 10_000_000, BytesPerSecond = 50_000_000 });
        using (TransferClient first = Clients.To(relay.Files, options =>
        {
            options.Protocol = protocol;
            options.MaxAttempts = 1;
            options.MaxConnections = 1;
        }))
        {
            TransferException exception = await Assert.ThrowsAsync<TransferException>(
                () => first.GetAsync(Clients.Name("x"), folder["x"], new GetOptions { Resume = true }));
            Assert.Equal(TransferError.Disconnected, exception.Error);
        }

        Assert.False(File.Exists(folder["x"]));
        long kept = new FileInfo(folder[".x.millrace-part"]).Length;
        using TransferClient second = Clients.To(relay.Files, options => options.Protocol = protocol);
        TransferResult result = await second.GetAsync(Clients.Name("x"), folder["x"], new GetOptions { Resume = true });

        Assert.InRange(kept, 1, 10_000_000);
        Assert.Equal(content.Length - kept, result.Sent);
        Assert.Equal(content, await File.ReadAllBytesAsync(folder["x"]));
        Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        Assert.Equal(["x"], folder.Files);
    }

    [Fact]
    public async Task Part_of_another_version_is_discarded()
    {
        await using TestServer server = await TestServer.StartAsync();
        using var folder = new TemporaryFolder();
        server.Write("x", 24_000_000);
        await using var relay = new TestRelay(
            () => server.Port, _ => new RelayPlan { CutDownAfter = 10_000_000, Once = true });
        using (TransferClient first = Clients.To(relay.Files, options => options.MaxAttempts = 1))
        {
            await Assert.ThrowsAsync<TransferException>(
                () => first.GetAsync(Clients.Name("x"), folder["x"], new GetOptions { Resume = true }));
        }

        byte[] content = server.Write("x", 23_000_000, seed: 3);
        using TransferClient second = Clients.To(relay.Files);
        await second.GetAsync(Clients.Name("x"), folder["x"], new GetOptions { Resume = true });

        Assert.Equal(content, await File.ReadAllBytesAsync(folder["x"]));
        Assert.Equal(["x"], folder.Files);
    }

    [Fact]
    public async Task Failed_download_leaves_the_existing_file()
    {
        await using TestServer server = await TestServer.StartAsync();
        using var folder = new TemporaryFolder();
        folder.Write("x", [1, 2, 3]);
        server.Write("x", 2_000_000);
        await using var relay = new TestRelay(() => server.Port, connection => new RelayPlan { CutDownAfter = connection == 0 ? 500_000 : 100 });
        using TransferClient client = Clients.To(relay.Files, options => options.MaxAttempts = 2);

        await Assert.ThrowsAsync<TransferException>(() => client.GetAsync(Clients.Name("x"), folder["x"]));

        Assert.Equal([1, 2, 3], await File.ReadAllBytesAsync(folder["x"]));
        Assert.Equal(["x"], folder.Files);
    }

    private static RelayPlan Plan(int connection, Random random, int bytes)
    {
        lock (random)
        {
            return connection >= 3
                ? RelayPlan.Clear
                : new RelayPlan { CutDownAfter = random.Next(0, bytes), Reset = random.Next(2) == 0 };
        }
    }
}
