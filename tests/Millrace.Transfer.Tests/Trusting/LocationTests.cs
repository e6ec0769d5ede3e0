using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Tests.Trusting;

/// <summary>The token and the file go to the address that was given, whatever its server names.</summary>
public sealed class LocationTests
{
    private static readonly string[] Elsewhere =
    [
        "http://127.0.0.1:{other}/uploads/1", "//127.0.0.1:{other}/uploads/1", "https://127.0.0.1:{port}/uploads/1",
        "http://localhost:{port}/uploads/1", "http://127.0.0.1:{port}@127.0.0.1:{other}/uploads/1", "file:///etc/passwd",
    ];

    [Theory, InlineData(TransferProtocol.Http1), InlineData(TransferProtocol.Tus)]
    public async Task Upload_is_not_sent_to_another_origin(TransferProtocol protocol)
    {
        string location = "";
        await using HostileServer other = await HostileServer.StartAsync(static _ => Task.CompletedTask);
        await using HostileServer server = await HostileServer.StartDescribedAsync(context =>
        {
            context.Response.StatusCode = StatusCodes.Status201Created;
            context.Response.Headers.Location = Fill(location, context.Connection.LocalPort, other);
            return Task.CompletedTask;
        });

        foreach (string named in Elsewhere)
        {
            location = named;
            int before = server.Requests;
            using TransferClient client = server.Connect(options =>
            {
                options.Protocol = protocol;
                options.Token = "secret";
            });

            TransferException exception = await Fails.WithAsync(
                TransferError.Protocol, () => client.PutAsync(new MemoryStream(new byte[300_000]), Clients.Name("x")));

            Assert.Contains($"not at {server.Files.GetLeftPart(UriPartial.Authority)}", exception.Message, StringComparison.Ordinal);
            Assert.Equal(2, server.Requests - before);
        }

        Assert.Equal(0, other.Requests);
    }

    [Theory]
    [InlineData("files")]
    [InlineData("uploads")]
    [InlineData("root")]
    public async Task Described_address_of_another_origin_is_refused(string member)
    {
        await using HostileServer other = await HostileServer.StartAsync(static _ => Task.CompletedTask);
        foreach (string named in Elsewhere)
        {
            await using HostileServer server = await HostileServer.StartAsync(context => HostileServer.JsonAsync(
                context,
                HostileServer.Description(
                    context.Connection.LocalPort, $"\"{member}\":\"{Fill(named, context.Connection.LocalPort, other)}\"")));
            using TransferClient client = server.Connect(options => options.Token = "secret");

            await Fails.WithAsync(TransferError.Protocol, () => client.FindFilesAsync().AsTask());
            await Fails.WithAsync(
                TransferError.Protocol, () => client.PutAsync(new MemoryStream(new byte[300_000]), Clients.Name("x")));

            // Each asked for the description, and sent nothing.
            Assert.Equal(2, server.Requests);
        }

        Assert.Equal(0, other.Requests);
    }

    [Theory]
    [InlineData(TransferProtocol.Http2)]
    [InlineData(TransferProtocol.Grpc)]
    public async Task Description_below_the_root_leads_to_no_other_port(TransferProtocol protocol)
    {
        await using HostileServer other = await HostileServer.StartAsync(static _ => Task.CompletedTask);
        await using HostileServer server = await HostileServer.StartAsync(context =>
        {
            if (context.Request.Path != "/share" + ServerDescription.Path)
            {
                context.Response.StatusCode = 404;
                return Task.CompletedTask;
            }

            string name = protocol == TransferProtocol.Grpc ? "grpc" : "http2";
            return HostileServer.JsonAsync(
                context,
                $$"""{"root":"/share","files":"/share/files","wires":[{"name":"http1","scheme":"http","port":{{context.Connection.LocalPort}}},{"name":"{{name}}","scheme":"http","port":{{other.Files.Port}}}]}""");
        });
        using var client = new TransferClient(
            new Uri(server.Files, "/share/files/"), new TransferClientOptions { Protocol = protocol, Token = "secret", MaxAttempts = 1 });

        await Assert.ThrowsAsync<TransferException>(() => client.GetAsync(Clients.Name("x"), Stream.Null));

        Assert.Equal(0, other.Requests);
    }

    [Theory, InlineData(TransferProtocol.Http2), InlineData(TransferProtocol.Grpc)]
    public void Described_protocol_does_not_leave_TLS(TransferProtocol protocol)
    {
        var options = new TransferClientOptions { Protocol = protocol };
        using var client = new HttpClient();
        var description = new ServerDescription { Protocols = [new("http1", "https", 443), new("http2", "http", 80), new("grpc", "http", 80)] };

        TransferException exception = Assert.Throws<TransferException>(() => ProtocolChoice.Make(protocol, description, new ProtocolSetup
        {
            Kind = TransferProtocol.Http1,
            Client = client,
            Options = options,
            Clock = TimeProvider.System,
            Files = new Uri("https://host/files/"),
        }));

        Assert.Equal(TransferError.ProtocolNotOffered, exception.Error);
        Assert.Contains("without TLS", exception.Message, StringComparison.Ordinal);
    }

    private static string Fill(string location, int port, HostileServer other) =>
        location.Replace("{port}", $"{port}").Replace("{other}", $"{other.Files.Port}");
}
