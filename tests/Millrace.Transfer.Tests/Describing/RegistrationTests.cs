using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Millrace.Transfer.Tests.Describing;

public sealed class RegistrationTests : ServerTest
{
    [Fact]
    public async Task A_registered_client_moves_files()
    {
        var services = new ServiceCollection();
        services.AddMillraceTransferClient(Server.Files);
        services.AddMillraceTransferClient("other", Server.Files, options => options.Protocol = TransferProtocol.Tus);
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
    public async Task Server_describes_its_protocols()
    {
        using TransferClient client = Server.Connect();

        ServerDescription description = await client.DescribeAsync();

        Assert.Equal(
            ["http1", "http2", "tus", "grpc", "grpc-web", "grpc-web-text"], description.Protocols.Select(protocol => protocol.Name));
    }

    [Fact]
    public void Options_of_the_host_reach_the_client_they_are_named_for()
    {
        var files = new Uri("http://localhost/files/");
        var services = new ServiceCollection();
        services.AddMillraceTransferClient(files);
        services.AddMillraceTransferClient("other", files, options => options.MaxAttempts = 3);
        services.Configure<TransferClientOptions>(options => options.MaxAttempts = 2);
        using ServiceProvider provider = services.BuildServiceProvider();

        Assert.Equal(2, provider.GetRequiredService<TransferClient>().Options.MaxAttempts);
        Assert.Equal(3, provider.GetRequiredKeyedService<TransferClient>("other").Options.MaxAttempts);
    }

    /// <summary>A record would print every property, its token too, into the first log that names it.</summary>
    [Fact]
    public void Options_print_only_their_type() => Assert.Equal(
        typeof(object), typeof(TransferClientOptions).GetMethod(nameof(ToString), [])!.DeclaringType);

    [Fact]
    public void Invalid_options_are_refused_when_the_host_starts()
    {
        var services = new ServiceCollection();
        services.AddMillraceTransferClient(new Uri("http://localhost/files/"), options => options.MaxConnections = 0);
        using ServiceProvider provider = services.BuildServiceProvider();

        Assert.Throws<ArgumentOutOfRangeException>(() => provider.GetRequiredService<IStartupValidator>().Validate());
    }

    [Fact]
    public void Options_changed_after_a_client_was_created_do_not_reach_it()
    {
        var options = new TransferClientOptions { Token = "first" };
        using var client = new TransferClient(new Uri("http://localhost/files/"), options);

        options.Token = "second";

        Assert.Equal("first", client.Options.Token);
    }

    [Fact]
    public async Task FindFiles_returns_the_address_that_the_server_describes()
    {
        using TransferClient client = Clients.To(new Uri(Server.Files, "elsewhere/"));

        Assert.Equal(Server.Files, await client.FindFilesAsync());
    }

    [Fact]
    public void HttpClient_with_a_timeout_is_refused()
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
