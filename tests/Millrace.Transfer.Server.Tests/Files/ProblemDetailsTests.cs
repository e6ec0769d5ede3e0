using System.Net.Http.Headers;
using System.Text;
using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Refusals in an application that customizes its problem documents, and in one that does not.</summary>
public sealed class ProblemDetailsTests
{
    private const string Missing =
        """{"type":"about:blank","title":"NotFound","status":404,"detail":"There is no file \u0027x\u0027.","error":"NotFound","name":"x"}""";

    [Fact]
    public async Task Problem_without_the_service_has_its_length_and_only_the_documented_members()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using HttpResponseMessage response = await server.SendAsync(HttpMethod.Get, "files/x");

        Assert.Equal((HttpStatusCode.NotFound, Missing), (response.StatusCode, await response.Content.ReadAsStringAsync()));
        Assert.Equal(Encoding.UTF8.GetByteCount(Missing), response.Content.Headers.ContentLength);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType!.ToString());
    }

    [Theory]
    [InlineData("http", 404, "NotFound")]
    [InlineData("method", 405, "InvalidRequest")]
    [InlineData("tus", 409, "OffsetMismatch")]
    [InlineData("draft", 409, "OffsetMismatch")]
    public async Task Customization_applies_and_keeps_the_members_that_clients_read(string kind, int status, string error)
    {
        await using RunningServer plain = await RunningServer.StartAsync();
        await using RunningServer customized = await RunningServer.StartAsync(new RunningServerOptions
        {
            Services = static services => services.AddProblemDetails(static options => options.CustomizeProblemDetails = static context =>
            {
                context.ProblemDetails.Extensions["requestId"] = "seen";
                context.ProblemDetails.Instance = context.HttpContext.Request.Path;
            }),
        });
        using HttpResponseMessage before = await RefuseAsync(plain, kind);
        using HttpResponseMessage after = await RefuseAsync(customized, kind);

        Assert.Equal((status, status), ((int)before.StatusCode, (int)after.StatusCode));
        Assert.Equal("application/problem+json", after.Content.Headers.ContentType!.MediaType);
        Assert.Equal(Names(before.Headers), Names(after.Headers));
        using JsonDocument old = JsonDocument.Parse(await before.Content.ReadAsStringAsync());
        using JsonDocument now = JsonDocument.Parse(await after.Content.ReadAsStringAsync());
        Assert.Equal("seen", now.RootElement.GetProperty("requestId").GetString());
        Assert.StartsWith("/", now.RootElement.GetProperty("instance").GetString(), StringComparison.Ordinal);
        Assert.Equal(error, now.RootElement.GetProperty("error").GetString());
        Assert.All(old.RootElement.EnumerateObject(), member =>
        {
            // The id of an upload is random.
            JsonElement kept = now.RootElement.GetProperty(member.Name);
            Assert.True(member.Name == "detail" ? kept.GetString()!.Length > 0 : JsonElement.DeepEquals(member.Value, kept), member.Name);
        });
    }

    [Fact]
    public async Task Client_that_accepts_no_problem_document_gets_the_same_as_without_the_service()
    {
        await using RunningServer server = await RunningServer.StartAsync(
            new RunningServerOptions { Services = static services => services.AddProblemDetails() });
        using var request = new HttpRequestMessage(HttpMethod.Put, server.Url("files/x"));
        request.Headers.Accept.ParseAdd("text/plain");
        request.Headers.IfMatch.Add(new EntityTagHeaderValue("\"none\""));
        request.Content = new StringContent("x");
        using HttpResponseMessage response = await server.Client.SendAsync(request);

        Assert.Equal(HttpStatusCode.PreconditionFailed, response.StatusCode);
        Assert.StartsWith(
            """{"type":"about:blank","title":"PreconditionFailed",""", await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    private static IEnumerable<string> Names(HttpResponseHeaders fields) =>
        fields.Select(static field => field.Key).Where(static name => name != "Transfer-Encoding").Order(StringComparer.Ordinal);

    private static async Task<HttpResponseMessage> RefuseAsync(RunningServer server, string kind)
    {
        switch (kind)
        {
            case "http":
                return await server.SendAsync(HttpMethod.Get, "files/x");
            case "method":
                return await server.SendAsync(HttpMethod.Patch, "files/x");
            default:
                (string, string)[] version = kind == "tus" ? [("Tus-Resumable", "1.0.0")] : [("Upload-Draft-Interop-Version", "8")];
                using (HttpResponseMessage started = await SendAsync(
                    server, HttpMethod.Post, kind == "tus" ? "uploads" : "files/x", null,
                    kind == "tus" ? [.. version, ("Upload-Length", "10"), ("Upload-Metadata", "filename eA==")]
                        : [.. version, ("Upload-Length", "10"), ("Upload-Complete", "?0")]))
                {
                    Assert.Equal(HttpStatusCode.Created, started.StatusCode);
                    string type = kind == "tus" ? "application/offset+octet-stream" : "application/partial-upload";
                    return await SendAsync(
                        server, HttpMethod.Patch, new Uri(server.Address, started.Headers.Location!).PathAndQuery.TrimStart('/'), type,
                        [.. version, ("Upload-Offset", "5"), .. kind == "tus" ? [] : new[] { ("Upload-Complete", "?0") }]);
                }
        }
    }

    private static async Task<HttpResponseMessage> SendAsync(
        RunningServer server, HttpMethod method, string path, string? type, (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(method, server.Url(path));
        request.Content = new ByteArrayContent(type is null ? [] : "abc"u8.ToArray());
        if (type is not null)
        {
            request.Content.Headers.ContentType = new MediaTypeHeaderValue(type);
        }

        foreach ((string name, string value) in fields)
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }

        return await server.Client.SendAsync(request);
    }
}
