namespace Millrace.Transfer.Tests.Downloading;

public sealed class CutDownloadTests : ServerTest
{
    [Theory, EveryProtocol(ProtocolSet.Downloads, false, true)]
    public async Task Downloads_that_are_cut_at_random_bytes_arrive_whole(TransferProtocol protocol, bool toStream)
    {
        int times = Soak.Times(20, 500);
        long attempts = 0;
        for (int i = 0; i < times; i++)
        {
            var random = new Random(i);
            byte[] content = Server.Write("x", random.Next(1, 3_000_000), i);
            await using TestRelay relay = Server.Behind(protocol, connection => Plan(connection, random, content.Length));
            using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);
            using var stream = new MemoryStream();

            TransferResult result = toStream
                ? await client.GetAsync(Clients.Name("x"), stream)
                : await client.GetAsync(Clients.Name("x"), Folder[$"{i}"]);

            attempts += result.Attempts;
            Assert.Equal(content, toStream ? stream.ToArray() : await File.ReadAllBytesAsync(Folder[$"{i}"]));
            Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        }

        Assert.True(attempts > times, "No download was interrupted.");
        Assert.Equal(toStream ? 0 : times, Folder.Files.Count);
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Bytes_already_here_are_not_requested_again(TransferProtocol protocol)
    {
        byte[] content = Server.Write("x", 24_000_000);
        await using TestRelay relay = Server.Behind(protocol, _ => new RelayPlan { CutDownAfter = 20_000_000, Once = true });
        using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);
        using var stream = new MemoryStream();

        TransferResult result = await client.GetAsync(Clients.Name("x"), stream);

        Assert.Equal(2, result.Attempts);
        Assert.Equal(content.Length, result.BytesSent);
        Assert.Equal(content, stream.ToArray());
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Replaced_file_is_downloaded_again_to_a_path_and_ends_a_download_to_a_stream(TransferProtocol protocol)
    {
        Server.Write("x", 24_000_000);
        byte[]? second = null;
        RelayPlan Replace(int connection)
        {
            second = connection == 1 ? Server.Write("x", 23_000_000, seed: 2) : second;
            return connection == 0 ? new RelayPlan { CutDownAfter = 5_000_000 } : RelayPlan.Clear;
        }

        await using (TestRelay relay = Server.Behind(protocol, Replace))
        {
            using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);
            await client.GetAsync(Clients.Name("x"), Folder["x"]);
        }

        Assert.Equal(second, await File.ReadAllBytesAsync(Folder["x"]));
        Server.Write("x", 24_000_000);
        await using TestRelay again = Server.Behind(protocol, Replace);
        using TransferClient other = Clients.To(again.Files, options => options.Protocol = protocol);
        await Fails.WithAsync(TransferError.Changed, () => other.GetAsync(Clients.Name("x"), Stream.Null));
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task File_changed_in_place_while_it_is_read_is_downloaded_once_more(TransferProtocol protocol)
    {
        Server.Write("x", 48_000_000);
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);

        // The server knows the digest now.
        await client.GetAsync(Clients.Name("x"), Stream.Null);
        TransferResult result = await client.GetAsync(Clients.Name("x"), Folder["x"], default, ChangingLastByteOnce());
        Assert.Equal(await File.ReadAllBytesAsync(Server.PathOf("x")), await File.ReadAllBytesAsync(Folder["x"]));
        Assert.Equal(2, result.Attempts);

        // The bytes of a stream cannot be taken back.
        await client.GetAsync(Clients.Name("x"), Stream.Null);
        await Fails.WithAsync(TransferError.Changed, () => client.GetAsync(Clients.Name("x"), Stream.Null, default, ChangingLastByteOnce()));

        Reports ChangingLastByteOnce()
        {
            int reports = 0;
            return new Reports(_ =>
            {
                if (reports++ == 0)
                {
                    using FileStream file = new(Server.PathOf("x"), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
                    file.Position = file.Length - 1;
                    int last = file.ReadByte();
                    file.Position--;
                    file.WriteByte((byte)(last + 1));
                }
            });
        }
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Download_of_an_earlier_client_resumes(TransferProtocol protocol)
    {
        byte[] content = Server.Write("x", 24_000_000);

        // Not faster than it is read: of a connection that is cut HttpClient hands out nothing more that it has received.
        await using TestRelay relay = Server.Behind(protocol, _ => new RelayPlan { CutDownAfter = 10_000_000, BytesPerSecond = 50_000_000 });
        using (TransferClient first = Clients.To(relay.Files, options =>
        {
            options.Protocol = protocol;
            options.MaxAttempts = 1;
            options.MaxConnections = 1;
        }))
        {
            TransferException exception = await Assert.ThrowsAsync<TransferException>(
                () => first.GetAsync(Clients.Name("x"), Folder["x"], new GetOptions { Resume = true }));
            Assert.Equal(TransferError.Disconnected, exception.Error);
        }

        Assert.False(File.Exists(Folder["x"]));
        long kept = new FileInfo(Folder[".x.millrace-part"]).Length;
        using TransferClient second = Clients.To(relay.Files, options => options.Protocol = protocol);
        TransferResult result = await second.GetAsync(Clients.Name("x"), Folder["x"], new GetOptions { Resume = true });

        Assert.InRange(kept, 1, 10_000_000);
        Assert.Equal(content.Length - kept, result.BytesSent);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["x"]));
        Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        Assert.Equal(["x"], Folder.Files);
    }

    [Fact]
    public async Task Part_of_another_version_is_discarded()
    {
        Server.Write("x", 24_000_000);
        await using var relay = new TestRelay(
            () => Server.Port, _ => new RelayPlan { CutDownAfter = 10_000_000, Once = true });
        using (TransferClient first = Clients.To(relay.Files, options => options.MaxAttempts = 1))
        {
            await Assert.ThrowsAsync<TransferException>(
                () => first.GetAsync(Clients.Name("x"), Folder["x"], new GetOptions { Resume = true }));
        }

        byte[] content = Server.Write("x", 23_000_000, seed: 3);
        using TransferClient second = Clients.To(relay.Files);
        await second.GetAsync(Clients.Name("x"), Folder["x"], new GetOptions { Resume = true });

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["x"]));
        Assert.Equal(["x"], Folder.Files);
    }

    [Fact]
    public async Task Failed_download_leaves_the_existing_file()
    {
        Folder.Write("x", [1, 2, 3]);
        Server.Write("x", 2_000_000);
        await using var relay = new TestRelay(() => Server.Port, connection => new RelayPlan { CutDownAfter = connection == 0 ? 500_000 : 100 });
        using TransferClient client = Clients.To(relay.Files, options => options.MaxAttempts = 2);

        await Assert.ThrowsAsync<TransferException>(() => client.GetAsync(Clients.Name("x"), Folder["x"]));

        Assert.Equal([1, 2, 3], await File.ReadAllBytesAsync(Folder["x"]));
        Assert.Equal(["x"], Folder.Files);
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
