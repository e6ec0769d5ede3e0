using System.Net.Sockets;

namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>samples/cluster as a reader starts it, with a separate Ceph.</summary>
public sealed class ClusterTests : FolderTests
{
    [NeedsFact(Need.Ceph | Need.Nginx)]
    public async Task Files_pass_through_nginx_by_every_protocol()
    {
        await using Cluster cluster = await Cluster.StartAsync(ceph: null);
        byte[] content = Content.Random(10_000_000, 1);
        Folder.Write("file", content);
        foreach (string via in (string[])["http1", "tus", "grpc", "grpc-web"])
        {
            await MillraceCommand.SucceedAsync(Folder.Path, "put", "--via", via, "file", $"{cluster.Files}in/{via}");
            await MillraceCommand.SucceedAsync(Folder.Path, "get", "--via", via, $"{cluster.Files}in/{via}", via);
            Assert.Equal(content, await File.ReadAllBytesAsync(Folder[via]));
        }

        string listed = await MillraceCommand.SucceedAsync(Folder.Path, "ls", cluster.Files + "in/");
        Assert.Equal(4, listed.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length);
        await AssertClientIsKnownAsync(cluster);
    }

    /// <summary>Servers know the client behind nginx: their logs have its address, and not one that it makes up.</summary>
    private static async Task AssertClientIsKnownAsync(Cluster cluster)
    {
        using var client = new HttpClient(new SocketsHttpHandler
        {
            ConnectCallback = static async (context, cancellationToken) =>
            {
                var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                socket.Bind(new IPEndPoint(IPAddress.Parse("127.0.0.77"), 0));
                await socket.ConnectAsync(context.DnsEndPoint, cancellationToken);
                return new NetworkStream(socket, ownsSocket: true);
            },
        });
        client.DefaultRequestHeaders.Add("X-Forwarded-For", "203.0.113.9");
        client.DefaultRequestHeaders.Add("Sec-Fetch-Site", "cross-site");
        using HttpResponseMessage refused = await client.DeleteAsync(cluster.Files + "in/http1");
        Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
        await Bounded.UntilAsync(() => cluster.Log.Contains(", 127.0.0.77", StringComparison.Ordinal));
        Assert.DoesNotContain("203.0.113.9", cluster.Log, StringComparison.Ordinal);
    }
}
