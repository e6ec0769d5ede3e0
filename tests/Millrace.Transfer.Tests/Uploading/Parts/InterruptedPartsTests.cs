namespace Millrace.Transfer.Tests.Uploading.Parts;

public sealed class InterruptedPartsTests : ServerTest
{
    [Theory, EveryProtocol(ProtocolSet.Http)]
    public async Task Parts_with_connections_cut_at_random_make_the_file(TransferProtocol protocol)
    {
        int times = Soak.Times(1, 20);
        for (int i = 0; i < times; i++)
        {
            byte[] content = Content.Random(LongWay.Bytes, i);
            var random = new Random(i);
            await using var relay = new TestRelay(() => Server.Port, connection => Plan(connection, random));
            using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);

            TransferResult result = await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));

            // The first one, four more, and one for each that was cut.
            Assert.True(relay.Connections > 8);
            Assert.True(result.Attempts > 1);
            Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
            Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        }
    }

    [Fact]
    public async Task A_canceled_upload_leaves_no_parts()
    {
        await using var relay = new TestRelay(() => Server.Port, _ => LongWay.Plan);
        using TransferClient client = Clients.To(relay.Files);
        using var cancel = new CancellationTokenSource();
        Reports progress = LongWay.OnceDivided(relay, cancel.Cancel);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => client.PutAsync(
            new MemoryStream(Content.Random(LongWay.Bytes)), Clients.Name("x"), default, progress, cancel.Token));

        Assert.Empty(Server.Visible());
        await LongWay.NothingIsLeftAsync(Server);
    }

    [Fact]
    public async Task Parts_of_an_earlier_client_resume()
    {
        byte[] content = Content.Random(LongWay.Bytes);
        string path = Folder.Write("x", content);
        var plan = LongWay.Plan;
        await using var relay = new TestRelay(() => Server.Port, _ => plan);
        using (TransferClient first = Clients.Resuming(relay.Files, Folder, connections: 4))
        using (var cancel = new CancellationTokenSource())
        {
            long there = 0;
            var progress = new Reports(report =>
            {
                if (relay.MaxOpen >= 3 && report.Transferred > LongWay.Bytes / 2 && Interlocked.Exchange(ref there, 1) == 0)
                {
                    cancel.Cancel();
                }
            });
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => first.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true }, progress, cancel.Token));
        }

        Assert.Empty(Server.Visible());
        Assert.True(LongWay.Unpublished(Server).Count > 1);
        plan = RelayPlan.Clear;
        using TransferClient second = Clients.Resuming(relay.Files, Folder, connections: 4);
        TransferResult result = await second.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true });

        Assert.InRange(result.BytesSent, 1, content.Length - 1_000_000);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
        Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        Assert.Empty(Directory.GetFiles(Folder["records"]));
        await LongWay.NothingIsLeftAsync(Server);
    }

    [Fact]
    public async Task A_proxy_that_gives_up_while_the_server_joins_is_asked_again()
    {
        await using var relay = new TestRelay(() => Server.Port, _ => LongWay.Plan);
        var proxy = new ImpatientProxy();
        using var client = new TransferClient(
            relay.Files,
            proxy,
            disposeHandler: true,
            new TransferClientOptions { MaxAttempts = 2, FirstDelay = TimeSpan.FromMilliseconds(2) });
        byte[] content = Content.Random(LongWay.Bytes);
        for (int i = 0; proxy.Joins == 0; i++)
        {
            // On a busy machine one connection may bring as much as several.
            Assert.True(i < 10, "No upload was divided.");
            await client.PutAsync(new MemoryStream(content), Clients.Name("x"));
        }

        Assert.Equal(ImpatientProxy.Refused + 1, proxy.Joins);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    /// <summary>Answers 504 more often than a client tries again.</summary>
    private sealed class ImpatientProxy() : DelegatingHandler(TransferConnections.Create(new TransferClientOptions()))
    {
        public const int Refused = 5;

        private int _joins;

        public int Joins => Volatile.Read(ref _joins);

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            request.Headers.TryGetValues("Upload-Concat", out IEnumerable<string>? concat)
            && concat.Single().StartsWith("final", StringComparison.Ordinal)
            && Interlocked.Increment(ref _joins) <= Refused
                ? Task.FromResult(new HttpResponseMessage(System.Net.HttpStatusCode.GatewayTimeout))
                : base.SendAsync(request, cancellationToken);
    }

    private static RelayPlan Plan(int connection, Random random)
    {
        lock (random)
        {
            return connection is > 0 and < 9
                ? LongWay.Plan with { CutUpAfter = random.Next(0, 4_000_000), Reset = random.Next(2) == 0 }
                : LongWay.Plan;
        }
    }
}
