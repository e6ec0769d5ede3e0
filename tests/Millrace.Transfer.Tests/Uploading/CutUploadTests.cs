using System.IO.Pipelines;

namespace Millrace.Transfer.Tests.Uploading;

/// <summary>Connections cut at random bytes; the file is whole in the end, and nothing is visible before.</summary>
public sealed class CutUploadTests : ServerTest
{
    private const int Cuts = 3;

    [Theory, EveryProtocol]
    public async Task Uploads_that_are_cut_at_random_bytes_arrive_whole(TransferProtocol protocol)
    {
        int times = Soak.Times(20, 500);
        long attempts = 0;
        for (int i = 0; i < times; i++)
        {
            var random = new Random(i);
            byte[] content = Content.Random(random.Next(300_000, 3_000_000), i);
            string path = Folder.Write("x", content);
            await using TestRelay relay = Server.Behind(protocol, connection => Plan(connection, random, content.Length));
            using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);

            TransferResult result = await client.PutAsync(path, Clients.Name($"{protocol}-{i}"));

            attempts += result.Attempts;
            Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf($"{protocol}-{i}")));
            Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        }

        Assert.True(attempts > times, "No upload was interrupted.");
    }

    [Theory, EveryProtocol]
    public async Task Pipe_resumes_from_its_retained_bytes(TransferProtocol protocol)
    {
        byte[] content = Content.Random(20_000_000);
        await using TestRelay relay = Server.Behind(
            protocol, connection => connection < 4 ? new RelayPlan { CutUpAfter = 3_000_000 + (connection * 1_234_567) } : RelayPlan.Clear);
        using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);

        TransferResult result = await client.PutAsync(PipeReader.Create(new MemoryStream(content)), Clients.Name("x"));

        Assert.True(result.Attempts > 1);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Theory, EveryProtocol]
    public async Task Bytes_on_the_server_are_not_sent_again(TransferProtocol protocol)
    {
        byte[] content = Content.Random(24_000_000);
        await using TestRelay relay = Server.Behind(
            protocol, _ => new RelayPlan { CutUpAfter = 20_000_000, Once = true });
        using TransferClient client = Clients.To(relay.Files, options =>
        {
            options.Protocol = protocol;
            options.MaxConnections = 1;
        });

        TransferResult result = await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));

        // The bytes in the sockets' buffers are lost when it is cut.
        Assert.Equal(2, result.Attempts);
        Assert.InRange(result.BytesSent, 24_000_000, 36_000_000);
    }

    [NeedsTheory(Need.Wine, "ends no send that waits for ever"), EveryProtocol]
    public async Task Stalled_connection_counts_as_dead(TransferProtocol protocol)
    {
        byte[] content = Content.Random(24_000_000);
        await using TestRelay relay = Server.Behind(
            protocol, _ => new RelayPlan { StallUpAfter = 1_000_000, Once = true });
        using TransferClient client = Clients.To(
            relay.Files,
            options =>
            {
                options.Protocol = protocol;

                // Pings, which show a dead connection of HTTP/2, are a second apart at least.
                options.IdleTimeout = TimeSpan.FromMilliseconds(protocol == TransferProtocol.Grpc ? 2000 : 400);
            });

        TransferResult result = await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));

        Assert.True(result.Attempts > 1);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Theory, EveryProtocol]
    public async Task A_canceled_upload_leaves_nothing_visible(TransferProtocol protocol)
    {
        string path = Folder.Write("x", Content.Random(24_000_000));
        await using TestRelay relay = Server.Behind(protocol, _ => new RelayPlan { BytesPerSecond = 10_000_000 });
        using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);
        using var cancel = new CancellationTokenSource();
        var progress = new Reports(report =>
        {
            if (report.Transferred > 1_000_000)
            {
                cancel.Cancel();
            }
        });

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => client.PutAsync(path, Clients.Name("x"), default, progress, cancel.Token));

        Assert.Empty(Server.Visible());
    }

    [Theory, EveryProtocol]
    public async Task Upload_that_is_canceled_while_the_server_begins_it_leaves_nothing(TransferProtocol protocol)
    {
        await using TestRelay relay = Server.Behind(protocol, _ => new RelayPlan { Delay = TimeSpan.FromMilliseconds(100) });
        using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);
        using var cancel = new CancellationTokenSource();
        Task<TransferResult> putting = client.PutAsync(Folder.Write("x", Content.Random(1_000_000)), Clients.Name("x"), default, null, cancel.Token);
        await Bounded.UntilAsync(() => Unpublished().Length > 0);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => putting);
        Assert.Empty(Unpublished());

        string[] Unpublished() => Directory.GetFiles(Path.Combine(Server.Root, ".millrace"), "data", SearchOption.AllDirectories);
    }

    private static RelayPlan Plan(int connection, Random random, int bytes)
    {
        lock (random)
        {
            return connection >= Cuts
                ? RelayPlan.Clear
                : random.Next(4) == 0
                    ? new RelayPlan { CutDownAfter = random.Next(0, 2000), Reset = random.Next(2) == 0 }
                    : new RelayPlan { CutUpAfter = random.Next(0, bytes), Reset = random.Next(2) == 0 };
        }
    }
}
