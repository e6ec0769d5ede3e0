using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Access;

/// <summary>Signed links, over a server that needs a token otherwise.</summary>
public sealed class LinkTests : ServerTest
{
    [Theory]
    [InlineData(TransferProtocol.Http1)]
    [InlineData(TransferProtocol.Http2)]
    [InlineData(TransferProtocol.Tus)]
    public async Task A_file_is_found_and_downloaded_by_its_link(TransferProtocol protocol)
    {
        byte[] content = Server.Write("a b.bin", 3_000_001);
        TransferLink link = await LinkAsync(Server, "GET", "a b.bin");
        using TransferClient client = Server.Connect(options =>
        {
            options.Link = link;
            options.Protocol = protocol;
        });

        StoredFile? found = await client.FindAsync(link.Name);
        await client.GetAsync(link.Name, Folder["y"]);

        Assert.Equal(content.Length, found!.Length);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["y"]));
    }

    [Theory]
    [InlineData(TransferProtocol.Http1, 10)]
    [InlineData(TransferProtocol.Http1, 3_000_001)]
    [InlineData(TransferProtocol.Http2, 3_000_001)]
    public async Task A_file_is_uploaded_by_its_link_with_one_request(TransferProtocol protocol, int size)
    {
        TransferLink link = await LinkAsync(Server, "PUT", "in/x");
        byte[] content = Content.Random(size);
        var handler = new CountingHandler();
        using var client = new TransferClient(
            Server.Files, handler, disposeHandler: true, new TransferClientOptions { Link = link, Protocol = protocol });

        TransferResult result = await client.PutAsync(new MemoryStream(content), link.Name);

        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("in/x")));
        Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        Assert.Equal(1, handler.Uploads);
    }

    [Fact]
    public async Task Upload_by_link_does_not_ask_for_a_digest()
    {
        await using TestServer server = await TestServer.StartAsync(
            options => options.Store = new LocalFileStoreOptions { ComputeSha256 = false });
        TransferLink link = await LinkAsync(server, "PUT", "x");
        using TransferClient client = server.Connect(options => options.Link = link);

        await client.PutAsync(new MemoryStream(new byte[3_000_001]), link.Name);

        Assert.Equal(3_000_001, new FileInfo(server.PathOf("x")).Length);
    }

    [Fact]
    public async Task Link_is_sent_only_for_its_file_and_without_the_token()
    {
        Server.Write("mine", 10);
        Server.Write("other", 10);
        TransferLink link = await LinkAsync(Server, "GET", "mine");
        string token = (await new TokenStore(TokenStore.DefaultPath(Server.Root)).AddAsync("two", TransferScope.All)).Secret;
        var seen = new List<(string Path, bool Link, bool Token)>();
        var handler = new CountingHandler
        {
            Watch = request => seen.Add((
                $"{request.Method} {request.RequestUri!.AbsolutePath}",
                request.RequestUri.Query.Contains("mr-signature", StringComparison.Ordinal),
                request.Headers.Authorization is not null)),
        };
        using var client = new TransferClient(
            Server.Files, handler, disposeHandler: true, new TransferClientOptions { Link = link, Token = token });

        await client.FindAsync(link.Name);
        await client.FindAsync(Clients.Name("other"));
        await foreach (RemoteEntry _ in client.ListAsync())
        {
        }

        await client.DeleteAsync(link.Name);

        Assert.Equal(
            [
                ("GET /.well-known/millrace", false, false),
                ("HEAD /files/mine", true, false),
                ("HEAD /files/other", false, true),
                ("GET /files/", false, true),
                ("DELETE /files/mine", false, true),
            ],
            seen);
    }

    [Fact]
    public async Task Link_is_never_in_a_text_or_message()
    {
        Server.Write("mine", 10);
        TransferLink link = await LinkAsync(Server, "GET", "mine");
        var options = new TransferClientOptions { Link = link };
        using var client = new TransferClient(Server.Files, options);

        TransferException exception = await Fails.WithAsync(
            TransferError.Forbidden, () => client.PutAsync(new MemoryStream(new byte[10]), link.Name));

        Assert.Contains("Ask for a new one", exception.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("mr-", exception.ToString(), StringComparison.Ordinal);
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc)]
    public async Task Links_are_refused_over_gRPC(TransferProtocol protocol)
    {
        Server.Write("mine", 10);
        TransferLink link = await LinkAsync(Server, "GET", "mine");
        using TransferClient client = Server.Connect(options =>
        {
            options.Link = link;
            options.Protocol = protocol;
        });

        foreach (Func<Task> use in (Func<Task>[])
            [
                () => client.FindAsync(link.Name),
                () => client.GetAsync(link.Name, Stream.Null),
                () => client.PutAsync(new MemoryStream(new byte[10]), link.Name),
                () => client.PutAsync(new MemoryStream(new byte[3_000_001]), link.Name),
            ])
        {
            TransferException exception = await Assert.ThrowsAsync<TransferException>(use);

            Assert.Equal(TransferError.InvalidRequest, exception.Error);
            Assert.Contains("a signed link is for HTTP", exception.Message, StringComparison.Ordinal);
        }
    }

    private static async Task<TransferLink> LinkAsync(TestServer server, string method, string text)
    {
        var tokens = new TokenStore(TokenStore.DefaultPath(server.Root));
        await tokens.AddAsync("one", TransferScope.All);
        TransferName name = Clients.Name(text);
        return new TransferLink(
            name, SignedLink.CreateQuery(await tokens.GetLinkKeyAsync(), method, name, DateTimeOffset.UtcNow.AddHours(1)));
    }
}
