using Microsoft.AspNetCore.Builder;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>The name is cut from the path as it was written, wherever an application puts the files.</summary>
public sealed class MappingTests
{
    [Fact]
    public async Task Files_can_be_below_a_base_path()
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Middleware = static application => application.UsePathBase("/app").UseRouting(),
        });
        await CheckAsync(server, "app/files");
        RawResponse outside = await RawConnection.ExchangeAsync(
            server.Address, "GET /app/files/../a%20b/c.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        Assert.Equal(400, outside.Status);
    }

    [Fact]
    public async Task Files_can_be_mapped_at_the_root()
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Map = static (application, store, options) => application.MapMillraceFiles("/", store, options),
        });
        await CheckAsync(server, "");
    }

    [Theory]
    [InlineData("/of/{tenant}", "/data", "of/me/data")]
    [InlineData("/of/{tenant}", "/data", "of/me%20too/data")]
    [InlineData("/of/{tenant}", "/data", "of/a%2fb%25/data")]
    [InlineData("/of/{tenant}", "/", "of/me")]
    public async Task Files_can_be_in_a_group_with_a_parameter(string group, string path, string prefix)
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Map = (application, store, options) => application.MapGroup(group).MapMillraceFiles(path, store, options),
        });
        await CheckAsync(server, prefix);
    }

    [Fact]
    public async Task Name_that_escapes_a_route_group_is_refused()
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Map = static (application, store, options) =>
                application.MapGroup("/of/{tenant}").MapMillraceFiles("/data", store, options),
        });
        foreach (string path in new[] { "/of/me/data/../../x", "/of/me/data/../../../x", "/of/me/data/../x", "/of/me/data/%2e%2e/%2e%2e/%2e%2e/x" })
        {
            RawResponse outside = await RawConnection.ExchangeAsync(
                server.Address, $"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            Assert.Equal((path, 400), (path, outside.Status));
        }

        // A path that is not below the files is not theirs to refuse.
        RawResponse elsewhere = await RawConnection.ExchangeAsync(
            server.Address, "GET /of/me/other/../x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        Assert.Equal(404, elsewhere.Status);
    }

    private static async Task CheckAsync(RunningServer server, string prefix)
    {
        await server.WriteAsync("a b/c.txt", "found"u8.ToArray());
        Assert.Equal("found", await server.Client.GetStringAsync(server.Url($"{prefix}/a%20b/c.txt".TrimStart('/'))));
        using HttpResponseMessage put = await server.Client.PutAsync(
            server.Url($"{prefix}/new/d.txt".TrimStart('/')), new ByteArrayContent([1]));
        Assert.Equal(HttpStatusCode.Created, put.StatusCode);
        Assert.Equal($"/{prefix}/new/d.txt".Replace("//", "/"), put.Headers.Location?.OriginalString);
        Assert.Equal(["a b/c.txt", "new/d.txt"], server.VisibleFiles());
        await server.Client.GetAsync(server.Url($"{prefix}/a%20b/".TrimStart('/'))).AnswersAsync(HttpStatusCode.OK);
        RawResponse encoded = await RawConnection.ExchangeAsync(
            server.Address, $"GET /{prefix}/a%20b%2fc.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".Replace("//", "/"));
        Assert.Equal(400, encoded.Status);
    }
}
