using Microsoft.AspNetCore.Builder;

namespace Millrace.Transfer.Server.Tests.Limits;

/// <summary>Which clients a server counts as one caller without a token.</summary>
public sealed class CallerTests
{
    [Theory]
    [InlineData("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true)]
    [InlineData("fe80::1%3", "fe80::2", true)]
    [InlineData("2001:db8:1:2::1", "2001:db8:1:3::1", false)]
    [InlineData("192.0.2.1", "192.0.2.2", false)]
    [InlineData("::ffff:192.0.2.1", "::ffff:192.0.2.2", false)]
    [InlineData("::ffff:192.0.2.1", "192.0.2.1", true)]
    public async Task Addresses_of_one_IPv6_network_share_a_limit(string first, string second, bool share)
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Services = static services => services.AddMillraceTransfer(static access => access.Limits.MaxTransfers = 1),
            Middleware = static application => application.Use((context, next) =>
            {
                context.Connection.RemoteIpAddress = IPAddress.Parse(context.Request.Headers["X-From"].ToString());
                return next(context);
            }),
        });
        using RawConnection held = await RawConnection.OpenAsync(
            server.Address, $"PUT /files/one HTTP/1.1\r\nHost: x\r\nX-From: {first}\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
        Assert.StartsWith("HTTP/1.1 100 ", await held.ReadHeadAsync(), StringComparison.Ordinal);

        using var request = new HttpRequestMessage(HttpMethod.Put, server.Url("files/two")) { Content = new StringContent("two") };
        request.Headers.Add("X-From", second);
        using HttpResponseMessage response = await server.Client.SendAsync(request);

        Assert.Equal(share ? HttpStatusCode.TooManyRequests : HttpStatusCode.Created, response.StatusCode);
    }
}
