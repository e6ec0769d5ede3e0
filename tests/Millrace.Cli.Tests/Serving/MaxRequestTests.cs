using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace serve --max-request`.</summary>
public sealed class MaxRequestTests : CommandTests
{
    [Fact]
    public async Task Limit_is_announced()
    {
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--max-request", "90MB", "--max-file", "1GB");
        foreach (string path in (string[])["uploads", "files/a"])
        {
            using var request = new HttpRequestMessage(HttpMethod.Options, path);
            using HttpResponseMessage options = await serve.Client.SendAsync(request);
            Assert.Equal("max-size=1000000000, max-append-size=90000000", Assert.Single(options.Headers.GetValues("Upload-Limit")));
        }

        using var begin = new HttpRequestMessage(HttpMethod.Put, "files/a") { Headers = { { "Upload-Complete", "?0" } } };
        using HttpResponseMessage begun = await serve.Client.SendAsync(begin);
        using var ask = new HttpRequestMessage(HttpMethod.Head, begun.Headers.Location);
        using HttpResponseMessage status = await serve.Client.SendAsync(ask);
        Assert.All([begun, status], response => Assert.StartsWith(
            "max-size=1000000000, max-append-size=90000000, max-age=", Assert.Single(response.Headers.GetValues("Upload-Limit")), StringComparison.Ordinal));

        foreach (string document in (string[])[".well-known/millrace", "session"])
        {
            using JsonDocument description = JsonDocument.Parse(await serve.Client.GetStringAsync(document));
            Assert.Equal(90_000_000, description.RootElement.GetProperty("maxRequestBytes").GetInt64());
        }
    }
}
