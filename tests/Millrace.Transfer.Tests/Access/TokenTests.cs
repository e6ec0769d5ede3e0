using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Access;

/// <summary>How a client uses a token, and its message without the right one.</summary>
public sealed class TokenTests : ServerTest
{
    [Fact]
    public async Task Token_allows_transfers()
    {
        string token = await AddAsync(Server, TransferScope.All);
        using TransferClient client = Server.Connect(options => options.Token = token);

        await client.PutAsync(new MemoryStream(new byte[1_000_000]), Clients.Name("x"));
        await client.GetAsync(Clients.Name("x"), Folder["y"]);

        Assert.Equal(1_000_000, new FileInfo(Folder["y"]).Length);
        Assert.True(await client.DeleteAsync(Clients.Name("x")));
    }

    [Theory]
    [InlineData(null, "the server's owner can create one")]
    [InlineData("mr_unknown", "The server's owner can create another")]
    public async Task Missing_token_is_reported_with_how_to_get_one(string? token, string advice)
    {
        await AddAsync(Server, TransferScope.All);
        var handler = new CountingHandler();
        using var client = new TransferClient(
            Server.Files, handler, disposeHandler: true, new TransferClientOptions { Token = token });

        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            () => client.PutAsync(new MemoryStream(new byte[10]), Clients.Name("x")));

        Assert.Equal((TransferError.Unauthorized, 401), (exception.Error, exception.Status));
        Assert.Contains(advice, exception.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("mr_unknown", exception.Message, StringComparison.Ordinal);
        Assert.Equal(1, handler.Uploads);
    }

    [Theory]
    [InlineData(TransferProtocol.Http1, 403)]
    [InlineData(TransferProtocol.Http2, 403)]
    [InlineData(TransferProtocol.Tus, 403)]
    [InlineData(TransferProtocol.Grpc, 200)]
    [InlineData(TransferProtocol.GrpcWeb, 200)]
    [InlineData(TransferProtocol.GrpcWebText, 200)]
    public async Task Refused_token_is_reported_with_the_missing_scope(TransferProtocol protocol, int status)
    {
        string token = await AddAsync(Server, TransferScope.Read);
        using TransferClient client = Server.Connect(options =>
        {
            options.Token = token;
            options.Protocol = protocol;
        });

        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            () => client.PutAsync(new MemoryStream(new byte[1_000_000]), Clients.Name("x")));

        Assert.Equal((TransferError.Forbidden, status), (exception.Error, exception.Status));
        Assert.Contains("allows read, and this needs write", exception.Message, StringComparison.Ordinal);
        Assert.Empty(Server.Visible());
    }

    [Fact]
    public void Token_is_not_in_the_text_of_the_options()
    {
        object?[] logged = [new TransferClientOptions { Token = "mr_secret" }];
        Assert.DoesNotContain("mr_secret", string.Join(' ', logged), StringComparison.Ordinal);
    }

    private static async Task<string> AddAsync(TestServer Server, TransferScope scope) =>
        (await new TokenStore(TokenStore.DefaultPath(Server.Root)).AddAsync("one", scope)).Secret;
}
