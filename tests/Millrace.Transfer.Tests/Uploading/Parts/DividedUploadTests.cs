using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Uploading.Parts;

public sealed class DividedUploadTests : ServerTest
{
    [Theory, EveryProtocol(ProtocolSet.Http, true, false)]
    public async Task Several_parts_are_sent_at_once_over_a_long_route(TransferProtocol protocol, bool fromPath)
    {
        byte[] content = Content.Random(LongWay.Bytes);
        await using var relay = new TestRelay(() => Server.Port, _ => LongWay.Plan);
        using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);
        var reports = new Reports();

        TransferResult result = fromPath
            ? await client.PutAsync(Folder.Write("x", content), Clients.Name("x"), default, reports)
            : await client.PutAsync(new MemoryStream(content), Clients.Name("x"), default, reports);

        Assert.InRange(relay.MaxOpen, 3, 6);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
        Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        Assert.Equal(protocol, result.Protocol);
        Assert.Equal(content.Length, reports.All.Last().Transferred);
        Assert.All(reports.All, report => Assert.InRange(report.Transferred, 0, content.Length));
        await LongWay.NothingIsLeftAsync(Server);
    }

    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task Parts_over_HTTP_2_use_separate_connections()
    {
        using var folder = new TemporaryFolder();
        string certificate = TlsFiles.Write(folder);
        await using TestServer server = await TestServer.StartAsync(options => options.CertificatePath = certificate);
        byte[] content = Content.Random(LongWay.Bytes);
        await using var relay = new TestRelay(() => server.Port, _ => LongWay.Plan);
        using TransferClient client = TlsFiles.Connect(
            new UriBuilder(relay.Files) { Scheme = "https" }.Uri, new TransferClientOptions { Protocol = TransferProtocol.Http2 });

        TransferResult result = await client.PutAsync(folder.Write("x", content), Clients.Name("x"));

        Assert.InRange(relay.MaxOpen, 4, 7);
        Assert.Equal(content, await File.ReadAllBytesAsync(server.PathOf("x")));
        Assert.Equal(TransferProtocol.Http2, result.Protocol);
    }

    [Theory, EveryProtocol(ProtocolSet.Http)]
    public async Task One_connection_is_used_over_a_short_route(TransferProtocol protocol)
    {
        await using var relay = new TestRelay(() => Server.Port);
        using TransferClient client = Clients.WithoutTime(relay.Files, protocol);

        await client.PutAsync(Folder.Write("x", Content.Random(LongWay.Bytes)), Clients.Name("x"));

        Assert.Equal(1, relay.MaxOpen);
    }

    [Fact]
    public async Task One_connection_is_used_where_no_more_are_allowed()
    {
        await using var relay = new TestRelay(() => Server.Port, _ => LongWay.Plan with { Window = 256 * 1024 });
        using TransferClient client = Clients.To(relay.Files, options => options.MaxConnections = 1);

        await client.PutAsync(new MemoryStream(Content.Random(LongWay.Bytes)), Clients.Name("x"));

        Assert.Equal(1, relay.MaxOpen);
    }

    [Fact]
    public async Task Unseekable_content_uses_one_connection()
    {
        byte[] content = Content.Random(LongWay.Bytes);
        await using var relay = new TestRelay(() => Server.Port, _ => LongWay.Plan with { Window = 256 * 1024 });
        using TransferClient client = Clients.To(relay.Files);

        await client.PutAsync(
            System.IO.Pipelines.PipeReader.Create(new MemoryStream(content)),
            Clients.Name("x"),
            new PutOptions { Length = content.Length });

        Assert.Equal(1, relay.MaxOpen);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Fact]
    public async Task Fewer_connections_are_used_when_the_server_wants_fewer()
    {
        await using TestServer server = await TestServer.StartAsync(
            options => options.Limits = new TransferLimits { MaxTransfers = 2 });
        byte[] content = Content.Random(LongWay.Bytes);
        await using var relay = new TestRelay(() => server.Port, _ => LongWay.Plan);
        using TransferClient client = Clients.To(relay.Files);

        await client.PutAsync(new MemoryStream(content), Clients.Name("x"));

        Assert.True(relay.MaxOpen > 1);
        Assert.Equal(content, await File.ReadAllBytesAsync(server.PathOf("x")));
        await LongWay.NothingIsLeftAsync(server);
    }

    [Fact]
    public async Task File_is_sent_whole_when_parts_do_not_fit()
    {
        await using TestServer server = await TestServer.StartAsync(
            options => options.Store = new LocalFileStoreOptions { MaxTotalBytes = LongWay.Bytes + 1_000_000 });
        byte[] content = Content.Random(LongWay.Bytes);
        await using var relay = new TestRelay(() => server.Port, _ => LongWay.Plan with { Window = 96 * 1024 });
        using TransferClient client = Clients.To(relay.Files);

        TransferResult result = await client.PutAsync(new MemoryStream(content), Clients.Name("x"));

        Assert.True(relay.MaxOpen > 1);
        Assert.True(result.BytesSent >= 2 * content.Length);
        Assert.Equal(content, await File.ReadAllBytesAsync(server.PathOf("x")));
        await LongWay.NothingIsLeftAsync(server);
    }
}
