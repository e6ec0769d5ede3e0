using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Grpc;

[NeedsLocalFolder]
public sealed class CorsTests : GrpcTest
{
    private const string Origin = "https://files.example.org";

    [Theory, InlineData(Origin, Origin), InlineData("*", "*")]
    public async Task Preflight_of_an_allowed_origin_needs_no_token(string allowed, string answered)
    {
        await ServeAsync(host: options => options.Endpoints.AllowedOrigins = [allowed]);
        await new TokenStore(TokenStore.DefaultPath(Server.Folder)).AddAsync("x", TransferScope.Read, default);
        using HttpResponseMessage response = await AskAsync(Origin);
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        Assert.Equal(answered, Field(response, "Access-Control-Allow-Origin"));
        Assert.Equal("POST", Field(response, "Access-Control-Allow-Methods"));
        string headers = Field(response, "Access-Control-Allow-Headers")!;
        foreach (string name in (string[])["content-type", "x-grpc-web", "x-user-agent", "grpc-timeout", "grpc-encoding", "grpc-accept-encoding", "authorization", "connect-protocol-version"])
        {
            Assert.Contains(name, headers, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Call_from_an_allowed_origin_exposes_its_status_to_the_page()
    {
        await ServeAsync(host: static options => options.Endpoints.AllowedOrigins = [Origin]);
        GrpcReply reply = await CallAsync("grpc-web", "Stat", Frames.Of(new StatRequest { Name = "a" }), ("Origin", Origin));
        reply.Failed(5, TransferError.NotFound);
        Assert.Equal(Origin, reply.Headers["Access-Control-Allow-Origin"]);
        string exposed = reply.Headers["Access-Control-Expose-Headers"];
        foreach (string name in (string[])["grpc-status", "grpc-message", "grpc-encoding", "grpc-accept-encoding", "millrace-error", "millrace-offset", "retry-after", "grpc-status-details-bin"])
        {
            Assert.Contains(name, exposed, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Other_origins_get_no_CORS_headers()
    {
        await ServeAsync(host: static options => options.Endpoints.AllowedOrigins = [Origin]);
        using HttpResponseMessage other = await AskAsync("https://elsewhere.example.org");
        Assert.Null(Field(other, "Access-Control-Allow-Origin"));
    }

    [Fact]
    public async Task No_allowed_origins_means_no_CORS()
    {
        using HttpResponseMessage response = await AskAsync(Origin);
        Assert.Equal(HttpStatusCode.MethodNotAllowed, response.StatusCode);
        Assert.Null(Field(response, "Access-Control-Allow-Origin"));
        GrpcReply reply = await CallAsync("grpc-web", "Stat", Frames.Of(new StatRequest { Name = "a" }), ("Origin", Origin));
        Assert.False(reply.Headers.ContainsKey("Access-Control-Allow-Origin"));
    }

    private static string? Field(HttpResponseMessage response, string name) =>
        response.Headers.TryGetValues(name, out IEnumerable<string>? values) ? string.Join(',', values) : null;

    private async Task<HttpResponseMessage> AskAsync(string origin)
    {
        using var request = new HttpRequestMessage(
            HttpMethod.Options, new Uri(Server.Server.Address, "/millrace.v1.FileTransfer/Stat"));
        request.Headers.Add("Origin", origin);
        request.Headers.Add("Access-Control-Request-Method", "POST");
        request.Headers.Add("Access-Control-Request-Headers", "content-type,x-grpc-web,authorization");
        return await Http2.SendAsync(request);
    }
}
