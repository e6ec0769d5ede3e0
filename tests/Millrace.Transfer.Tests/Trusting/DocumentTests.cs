using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Tests.Trusting;

/// <summary>Documents of a server that are endless, empty or invalid.</summary>
public sealed class DocumentTests
{
    [Theory]
    [InlineData("{\"entries\":[")]
    [InlineData("{\"entries\":[],\"unknown\":\"")]
    public async Task Endless_listing_is_refused(string beginning)
    {
        await using HostileServer server = await HostileServer.StartDescribedAsync(
            context => HostileServer.EndlessAsync(context, beginning));
        using TransferClient client = server.Connect();

        TransferException exception = await Fails.WithAsync(TransferError.Protocol, () => AllAsync(client));

        Assert.Contains("8388608", exception.Message, StringComparison.Ordinal);
    }

    /// <summary>It is the same as none: then the address is used as it was given.</summary>
    [Fact]
    public async Task Endless_description_is_none()
    {
        await using HostileServer server = await HostileServer.StartAsync(context => context.Request.Path == ServerDescription.Path
            ? HostileServer.EndlessAsync(context, "{")
            : HostileServer.JsonAsync(context, "{\"entries\":[]}"));
        using TransferClient client = server.Connect();

        Assert.Equal(server.Files, await client.FindFilesAsync());
        Assert.Empty(await AllAsync(client));
    }

    [Fact]
    public async Task Endless_reason_of_a_refusal_is_left_out()
    {
        await using HostileServer server = await HostileServer.StartDescribedAsync(
            static context => HostileServer.EndlessAsync(context, "{\"detail\":\"", "application/problem+json", 403));
        using TransferClient client = server.Connect();

        await Fails.WithAsync(TransferError.Forbidden, () => AllAsync(client));
    }

    [Fact]
    public async Task Endless_pages_without_an_entry_are_refused()
    {
        string next = "";
        await using HostileServer server = await HostileServer.StartDescribedAsync(
            context => HostileServer.JsonAsync(context, $$"""{"entries":[],"next":"{{next += "a"}}"}"""));
        using TransferClient client = server.Connect();

        TransferException exception = await Fails.WithAsync(TransferError.Protocol, () => AllAsync(client));

        Assert.Contains("100 pages had no entry", exception.Message, StringComparison.Ordinal);
        Assert.Equal(101, server.Requests);
    }

    [Theory]
    [InlineData("{\"searched\":1}\n", "ended too early")]
    [InlineData("", "ended too early")]
    [InlineData("{\"name\":\"../x\"}\n{\"searched\":1,\"complete\":true}\n", "invalid name")]
    [InlineData("{\"name\":\"g/x\"}\n{\"searched\":1,\"complete\":true}\n", "not in the folder")]
    [InlineData("{\"name\":\"f/x\"}\n{\"name\":\"f/y\"}\n{\"searched\":1,\"complete\":true}\n", "more than the 1 entries")]
    [InlineData("null\n", "is empty")]
    [InlineData("x\n", "cannot be read")]
    public async Task Search_that_is_no_valid_answer_is_refused(string answer, string reason)
    {
        await using HostileServer server = await HostileServer.StartDescribedAsync(async context =>
        {
            context.Response.ContentType = "application/jsonl";
            await context.Response.WriteAsync(answer);
        });
        using TransferClient client = server.Connect();

        TransferException exception = await Fails.WithAsync(
            TransferError.Protocol, () => client.SearchAsync(Clients.Name("f"), "x", limit: 1).ToListAsync().AsTask());

        Assert.Contains(reason, exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{\"name\":\"f/x")]
    [InlineData("{\"name\":\"f/x\"}\n")]
    public async Task Endless_search_is_refused(string beginning)
    {
        await using HostileServer server = await HostileServer.StartDescribedAsync(
            context => HostileServer.EndlessAsync(context, beginning, "application/jsonl"));
        using TransferClient client = server.Connect();

        await Fails.WithAsync(TransferError.Protocol, () => client.SearchAsync(Clients.Name("f"), "x").ToListAsync().AsTask());
    }

    [Fact]
    public async Task Server_that_does_not_search_is_named_as_such()
    {
        await using HostileServer server = await HostileServer.StartDescribedAsync(
            static context => HostileServer.JsonAsync(context, "{\"entries\":[]}"));
        using TransferClient client = server.Connect();

        await Fails.WithAsync(TransferError.InvalidRequest, () => client.SearchAsync(default, "x").ToListAsync().AsTask());
    }

    [Fact]
    public async Task Same_page_again_is_refused()
    {
        await using HostileServer server = await HostileServer.StartDescribedAsync(
            static context => HostileServer.JsonAsync(context, """{"entries":[{"name":"a"}],"next":"a"}"""));
        using TransferClient client = server.Connect();

        await Fails.WithAsync(TransferError.Protocol, () => AllAsync(client));
        Assert.Equal(3, server.Requests);
    }

    [Theory]
    [InlineData("null")]
    [InlineData("{\"entries\":null}")]
    [InlineData("{\"entries\":[null]}")]
    [InlineData("{\"entries\":[{\"name\":null}]}")]
    [InlineData("{\"entries\":[{}]}")]
    [InlineData("{\"entries\":[{\"name\":\"a\",\"length\":1e30}]}")]
    [InlineData("[]")]
    [InlineData("<html>")]
    public async Task Malformed_listing_is_refused(string listing)
    {
        await using HostileServer server = await HostileServer.StartDescribedAsync(
            context => HostileServer.JsonAsync(context, listing));
        using TransferClient client = server.Connect();

        await Fails.WithAsync(TransferError.Protocol, () => AllAsync(client));
    }

    [Theory]
    [InlineData("null")]
    [InlineData("{\"wires\":null}")]
    [InlineData("{\"wires\":[null]}")]
    [InlineData("{\"files\":null}")]
    [InlineData("{\"wires\":[{\"name\":null,\"scheme\":null,\"port\":-1}]}")]
    [InlineData("{\"wires\":[{\"name\":\"http2\",\"scheme\":\"ftp\",\"port\":21},{\"name\":\"http2\",\"scheme\":\"http\",\"port\":70000}]}")]
    public async Task Malformed_description_offers_nothing(string description)
    {
        await using HostileServer server = await HostileServer.StartAsync(context => HostileServer.JsonAsync(context, description));
        using TransferClient client = server.Connect(options => options.Protocol = TransferProtocol.Http2);

        await Fails.WithAsync(TransferError.ProtocolNotOffered, () => AllAsync(client));
    }

    [Fact]
    public async Task Text_of_a_server_has_no_controls_in_messages()
    {
        await using HostileServer server = await HostileServer.StartDescribedAsync(static context =>
        {
            if (context.Request.Path.StartsWithSegments("/millrace.v1.FileTransfer", StringComparison.Ordinal))
            {
                context.Response.ContentType = "application/grpc-web+proto";
                context.Response.Headers["grpc-status"] = "7";
                context.Response.Headers["grpc-message"] = "a%1B[2J%C2%9Bb%E2%80%AEc%E2%81%A6d%0Ae";
                return Task.CompletedTask;
            }

            return HostileServer.JsonAsync(
                context, """{"error":"Forbidden","detail":"a\u001b[2J\u009bb\u202ec\u2066d\ne"}""", "application/problem+json", 403);
        });

        foreach (TransferProtocol protocol in (TransferProtocol[])[TransferProtocol.Http1, TransferProtocol.GrpcWeb])
        {
            using TransferClient client = server.Connect(options => options.Protocol = protocol);
            TransferException exception = await Fails.WithAsync(TransferError.Forbidden, () => AllAsync(client));
            Assert.EndsWith("a\uFFFD[2J\uFFFDb\uFFFDc\uFFFDd\uFFFDe", exception.Message, StringComparison.Ordinal);
        }
    }

    private static async Task<List<RemoteEntry>> AllAsync(TransferClient client)
    {
        var entries = new List<RemoteEntry>();
        await foreach (RemoteEntry entry in client.ListAsync())
        {
            entries.Add(entry);
        }

        return entries;
    }
}
