using Microsoft.Extensions.DependencyInjection;

namespace Millrace.Transfer.Tests.Describing;

public sealed class RegistrationTests
{
    [Fact]
    public async Task A_registered_client_moves_files()
    {
        await using TestServer server = await TestServer.StartAsync();
        var services = new ServiceCollection();
        services.AddTransferClient(server.Files);
        services.AddTransferClient("other", server.Files, new TransferClientOptions { Protocol = TransferProtocol.Tus });
        await using ServiceProvider provider = services.BuildServiceProvider();

        TransferResult one = await provider.GetRequiredService<TransferClient>()
            .PutAsync(new MemoryStream(new byte[300_000]), Clients.Name("one"));
        TransferResult other = await provider.GetRequiredKeyedService<TransferClient>("other")
            .PutAsync(new MemoryStream(new byte[300_000]), Clients.Name("other"));

        Assert.Equal(TransferProtocol.Http1, one.Protocol);
        Assert.Equal(TransferProtocol.Tus, other.Protocol);
        Assert.Same(provider.GetRequiredService<TransferClient>(), provider.GetRequiredService<TransferClient>());
    }

    [Fact]
    public async Task A_server_says_what_it_offers()
    {
        await using TestServer server = await TestServer.StartAsync();
        using TransferClient client = server.Connect();

        ServerDescription description = await client.DescribeAsync();

        Assert.Equal(
            ["http1", "http2", "tus", "grpc", "grpc-web", "grpc-web-text"], description.Protocols.Select(protocol => protocol.Name));
    }

    [Fact]
    public void An_HttpClient_that_ends_requests_after_a_time_is_refused()
    {
        using var http = new HttpClient();

        Assert.Throws<ArgumentException>(() => new TransferClient(new Uri("http://localhost/files/"), http));
    }

    [Theory]
    [InlineData("http://host/files", "http://host/files/")]
    [InlineData("http://host:1/files/", "http://host:1/files/")]
    [InlineData("https://host", "https://host/")]
    public void The_address_ends_with_a_slash(string given, string files)
    {
        using var client = new TransferClient(new Uri(given));

        Assert.Equal(new Uri(files), client.Files);
    }
}
