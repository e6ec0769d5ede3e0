using Millrace.Transfer.Server.Tests.Infrastructure;

namespace Millrace.Transfer.Server.Tests.Hosting;

/// <summary>Options that an application configures through its services.</summary>
public sealed class ConfiguredOptionsTests
{
    [Theory, InlineData(true, HttpStatusCode.OK), InlineData(false, HttpStatusCode.NotFound)]
    public async Task Endpoints_use_the_options_of_the_application(bool archives, HttpStatusCode expected)
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Services = services => services.Configure<TransferServerOptions>(options => options.Archives = archives),
            Map = static (application, store, _) => application.MapMillraceFiles("/data", store),
        });
        await server.WriteAsync("a/one.txt", "one"u8.ToArray());

        using HttpResponseMessage response = await server.Client.GetAsync(server.Url("data/a/?archive=zip"));

        Assert.Equal(expected, response.StatusCode);
    }

    [Fact]
    public async Task Limits_of_the_application_apply()
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Services = static services => services.AddMillraceTransfer(static access => access.Limits.MaxBodyBytes = 2),
        });

        using HttpResponseMessage small = await server.Client.PutAsync(server.Url("files/a"), new StringContent("12"));
        using HttpResponseMessage large = await server.Client.PutAsync(server.Url("files/b"), new StringContent("123"));

        Assert.Equal(HttpStatusCode.Created, small.StatusCode);
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, large.StatusCode);
    }
}
