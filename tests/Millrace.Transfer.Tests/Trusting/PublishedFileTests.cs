using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Tests.Trusting;

/// <summary>An upload has succeeded only if the file is there as it was sent, whatever else has its name.</summary>
public sealed class PublishedFileTests
{
    private const int Length = 1_000_000;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Upload_that_the_server_calls_incomplete_fails_beside_an_older_file(bool verify)
    {
        byte[] content = Content.Random(Length);
        await using HostileServer server = await StartAsync("?0", content);

        TransferException exception = await PutAsync(server, content, verify);

        Assert.Equal(TransferError.Protocol, exception.Error);
        Assert.Contains("not all", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Upload_fails_when_a_file_of_another_length_is_there(bool verify)
    {
        await using HostileServer server = await StartAsync("?1", new byte[Length - 1]);

        TransferException exception = await PutAsync(server, Content.Random(Length), verify);

        Assert.Equal(TransferError.DigestMismatch, exception.Error);
        Assert.Contains($"{Length - 1} bytes there and {Length} here", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Upload_that_the_server_completes_early_fails()
    {
        byte[] content = Content.Random(Length);
        await using HostileServer server = await StartAsync("?1", content[..^1], sends: Length - 1);

        TransferException exception = await PutAsync(server, content, verify: false);

        Assert.Equal(TransferError.Protocol, exception.Error);
    }

    private static async Task<TransferException> PutAsync(HostileServer server, byte[] content, bool verify)
    {
        using TransferClient client = server.Connect(options =>
        {
            options.Protocol = TransferProtocol.Http1;
            options.VerifyDigests = verify;
        });
        return await Assert.ThrowsAsync<TransferException>(() => client.PutAsync(new MemoryStream(content), Clients.Name("x")));
    }

    /// <summary>A server that takes all bytes, and has a file of that name.</summary>
    private static Task<HostileServer> StartAsync(string complete, byte[] there, int? sends = null) =>
        HostileServer.StartDescribedAsync(async context =>
        {
            HttpResponse response = context.Response;
            switch (context.Request.Method)
            {
                case "PUT":
                    response.StatusCode = 201;
                    response.Headers.Location = "/uploads/1";
                    break;
                case "PATCH":
                    var body = new MemoryStream();
                    await context.Request.Body.CopyToAsync(body);
                    bool isLast = context.Request.Headers["Upload-Complete"] == "?1";
                    long offset = long.Parse(context.Request.Headers["Upload-Offset"].ToString()) + body.Length;
                    response.StatusCode = 204;
                    response.Headers["Upload-Offset"] = $"{sends ?? offset}";
                    response.Headers["Upload-Complete"] = isLast || sends is not null ? complete : "?0";
                    break;
                case "HEAD":
                    response.ContentLength = there.Length;
                    break;
                default:
                    response.StatusCode = 405;
                    break;
            }
        });
}
