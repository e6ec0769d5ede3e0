using System.Net;
using System.Net.Http.Headers;

namespace Millrace.Cli.Tests.Serving;

/// <summary>gRPC of `millrace serve`, as a process.</summary>
[Trait("Tier", "All")]
public sealed class ServeGrpcTests : CommandTests
{
    private const string Origin = "https://app.example.org";

    // A message without a field, and one whose first field is 1: SERVING.
    private static readonly byte[] Empty = [0, 0, 0, 0, 0];
    private static readonly byte[] Serving = [0, 0, 0, 0, 2, 8, 1];

    [Fact]
    public async Task Grpc_health_answers_at_the_printed_address()
    {
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--h2-port", "0");
        using HttpResponseMessage answer = await serve.Client.SendAsync(Check(
            serve.Ready.GetProperty("grpc").GetString()!, "application/grpc", HttpVersion.Version20));

        Assert.Equal(Serving, await answer.Content.ReadAsByteArrayAsync());
        Assert.Equal("0", Assert.Single(answer.TrailingHeaders.GetValues("grpc-status")));
    }

    [Fact]
    public async Task Grpc_web_health_answers_at_the_printed_address()
    {
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--h2-port", "none");
        Assert.False(serve.Ready.TryGetProperty("grpc", out _));
        using HttpResponseMessage answer = await serve.Client.SendAsync(Check(
            serve.Ready.GetProperty("grpcWeb").GetString()!, "application/grpc-web", HttpVersion.Version11));

        byte[] body = await answer.Content.ReadAsByteArrayAsync();
        Assert.Equal(Serving, body[..Serving.Length]);
    }

    [Theory]
    [InlineData(Origin, Origin)]
    [InlineData("*", "*")]
    [InlineData("https://other.example.org", null)]
    public async Task Pages_of_allowed_origins_may_call(string allowed, string? expected)
    {
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--h2-port", "none", "--cors", allowed);
        using var ask = new HttpRequestMessage(HttpMethod.Options, "millrace.v1.FileTransfer/Stat");
        ask.Headers.Add("Origin", Origin);
        ask.Headers.Add("Access-Control-Request-Method", "POST");
        ask.Headers.Add("Access-Control-Request-Headers", "content-type,x-grpc-web,authorization");
        using HttpResponseMessage answer = await serve.Client.SendAsync(ask);

        answer.Headers.TryGetValues("Access-Control-Allow-Origin", out IEnumerable<string>? origins);
        Assert.Equal(expected, origins?.Single());
    }

    [Fact]
    public async Task Message_above_the_limit_is_rejected()
    {
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--h2-port", "none", "--max-message", "64K");
        using HttpRequestMessage part = Check(
            serve.Ready.GetProperty("grpcWeb").GetString()!, "application/grpc-web", HttpVersion.Version11);
        part.RequestUri = new Uri(part.RequestUri!, "/millrace.v1.FileTransfer/UploadPart");
        byte[] message = new byte[5 + (64 * 1024) + 1];
        message[2] = 1;
        message[4] = 1;
        part.Content = new ByteArrayContent(message);
        part.Content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc-web");
        using HttpResponseMessage answer = await serve.Client.SendAsync(part);

        // RESOURCE_EXHAUSTED, in a field of the answer or in the trailers at the body's end.
        answer.Headers.TryGetValues("grpc-status", out IEnumerable<string>? status);
        string body = await answer.Content.ReadAsStringAsync();
        Assert.True(status?.Single() == "8" || body.Contains("grpc-status:8", StringComparison.Ordinal) || body.Contains("grpc-status: 8", StringComparison.Ordinal), body);
    }

    private static HttpRequestMessage Check(string address, string contentType, Version version)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, address + "/grpc.health.v1.Health/Check")
        {
            Version = version,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent(Empty),
        };
        request.Headers.TE.Add(new TransferCodingWithQualityHeaderValue("trailers"));
        request.Content.Headers.ContentType = new MediaTypeHeaderValue(contentType);
        return request;
    }
}
