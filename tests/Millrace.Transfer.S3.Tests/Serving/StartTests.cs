using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>The reason why `millrace serve s3://…` cannot start is one sentence.</summary>
public sealed class StartTests : BucketTest
{
    [NeedsFact(Need.Ceph)]
    public async Task Missing_bucket_is_named()
    {
        string error = await RefusedAsync("s3://none-" + Bucket.Name, Bucket.Server.Address, MillraceCommand.Keys);
        Assert.Contains("none-" + Bucket.Name, error, StringComparison.Ordinal);
        Assert.Contains("does not exist", error, StringComparison.Ordinal);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Keys_of_somebody_else_are_refused()
    {
        var keys = new Dictionary<string, string>(MillraceCommand.Keys)
        {
            ["AWS_ACCESS_KEY_ID"] = CephServer.RefusedAccessKey,
            ["AWS_SECRET_ACCESS_KEY"] = CephServer.RefusedSecretKey,
        };
        Assert.Contains("refuse", await RefusedAsync("s3://" + Bucket.Name, Bucket.Server.Address, keys), StringComparison.Ordinal);
        keys["AWS_SECRET_ACCESS_KEY"] = "wrong";
        Assert.Contains("refuse", await RefusedAsync("s3://" + Bucket.Name, Bucket.Server.Address, keys), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Missing_keys_are_named()
    {
        var keys = new Dictionary<string, string> { ["AWS_EC2_METADATA_DISABLED"] = "true" };
        Assert.Contains("credentials", await RefusedAsync("s3://" + Bucket.Name, Bucket.Server.Address, keys), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Endpoint_that_nobody_listens_on_is_named()
    {
        // Kept, so that no other program listens on the port meanwhile.
        using var bound = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        bound.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        int port = ((IPEndPoint)bound.LocalEndPoint!).Port;
        string error = await RefusedAsync("s3://" + Bucket.Name, new Uri($"http://127.0.0.1:{port}"), MillraceCommand.Keys);
        Assert.Contains($"127.0.0.1:{port}", error, StringComparison.Ordinal);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Wrong_clock_is_named()
    {
        // The clock of this machine is right, so the answer of the service is written here as the documentation has it.
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new());
        builder.WebHost.UseKestrelCore().UseUrls("http://127.0.0.1:0");
        await using WebApplication service = builder.Build();
        service.Run(static context =>
        {
            context.Response.StatusCode = StatusCodes.Status403Forbidden;
            context.Response.ContentType = "application/xml";
            return context.Response.WriteAsync(
                "<Error><Code>RequestTimeTooSkewed</Code><Message>The difference between the request time and the current time is too large.</Message></Error>");
        });
        await service.StartAsync();
        Assert.Contains("clock", await RefusedAsync("s3://" + Bucket.Name, new Uri(service.Urls.Single()), MillraceCommand.Keys), StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Ceph)]
    [InlineData("s3://", "does not name a bucket")]
    [InlineData("s3://a b/c", "does not name a bucket")]
    [InlineData("s3://bucket/../c", "does not name a bucket")]
    [InlineData("s3://bucket --leave-free 1G", "leave it out for a bucket")]
    [InlineData("folder --s3-path-style", "s3://BUCKET/PREFIX")]
    [InlineData("s3://bucket --s3-part-size 4M", "5M to 5G")]
    [InlineData("s3://bucket --s3-endpoint nowhere", "not a valid URL")]
    public async Task Invalid_arguments_are_explained(string arguments, string reason)
    {
        string[] words = arguments.StartsWith("s3://a b", StringComparison.Ordinal) ? [arguments] : arguments.Split(' ');
        (int exitCode, _, string error) = await MillraceCommand.RunAsync(Folder.Path, null, ["serve", .. words]);
        Assert.Equal(1, exitCode);
        Assert.Contains(reason, error, StringComparison.Ordinal);
    }

    /// <returns>The one line that it printed.</returns>
    private async Task<string> RefusedAsync(string bucket, Uri endpoint, IReadOnlyDictionary<string, string> keys)
    {
        (int exitCode, string output, string error) = await MillraceCommand.RunAsync(
            Folder.Path, keys, "serve", bucket, "--s3-endpoint", endpoint.AbsoluteUri, "--s3-path-style", "--port", "0");
        Assert.Equal(1, exitCode);
        Assert.Empty(output);
        Assert.StartsWith("millrace serve: ", error, StringComparison.Ordinal);
        return Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }
}
