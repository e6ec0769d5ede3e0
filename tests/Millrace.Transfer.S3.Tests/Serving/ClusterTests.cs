namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>samples/cluster as a reader starts it, with a Ceph of its own.</summary>
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
    }
}
