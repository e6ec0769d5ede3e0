namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>Uploads to a bucket, through nginx on a way that resets every connection.</summary>
public sealed class CutRequestTests : BucketTest
{
    private const int Length = 40_000_001;

    /// <remarks>Connections get less through than a part of an object may have.</remarks>
    [NeedsTheory(Need.Ceph | Need.Nginx), InlineData("http1"), InlineData("tus"), InlineData("grpc-web")]
    public async Task Upload_arrives_whole_though_every_connection_is_reset(string via)
    {
        string digest = Write("large", Length);
        await using ServedBucket server = await ServeAsync("--trusted-proxy", "127.0.0.1");
        using NginxProxy proxy = await NginxProxy.StartAsync(Folder["nginx"], server.Client.BaseAddress!.Port, """
            client_max_body_size 0;
            proxy_request_buffering off;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Host $http_host;
            """);
        await using var relay = new TestRelay(() => proxy.Port, static _ => new RelayPlan { CutUpAfter = 4_000_000, Reset = true });

        await MillraceCommand.SucceedAsync(Folder.Path, "put", "--via", via, "large", relay.Files + "large");

        // How much is sent again depends on the bytes that the kernel had when a connection was reset.
        Assert.True(relay.Connections >= Length / 4_000_000, $"{relay.Connections} connections");
        await MillraceCommand.SucceedAsync(Folder.Path, "get", server.Files + "large", "back");
        Assert.Equal(digest, DigestOf("back"));
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }
}
