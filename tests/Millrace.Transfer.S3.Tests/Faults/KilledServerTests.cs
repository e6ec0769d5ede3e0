using System.Diagnostics;

namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>One of three servers behind nginx is killed during uploads, and clients continue with the others.</summary>
public sealed class KilledServerTests : FolderTests
{
    private const int Length = 100_000_000;

    [NeedsFact(Need.Ceph | Need.Nginx)]
    public async Task Clients_continue_with_another_server_and_every_file_is_whole()
    {
        CephServer ceph = await CephServer.Shared;
        await using Cluster cluster = await Cluster.StartAsync(ceph);
        using IAmazonS3 client = ceph.Connect();
        byte[] content = new byte[Length];
        int killed = 0;
        int rounds = Soak.Times(3, 50);
        for (int round = 0; round < rounds; round++)
        {
            new Random(round).NextBytes(content);
            Folder.Write("file", content);
            string via = ((string[])["tus", "http1", "grpc"])[round % 3];
            using Process put = MillraceCommand.Start(
                Folder.Path, null, "put", "--quiet", "--via", via, "file", $"{cluster.Files}{round}");
            if (await cluster.KillBusiestAsync(put))
            {
                killed++;
            }

            // No partial file is visible.
            long? seen = await LengthAsync(client, cluster.BucketName, $"{round}");
            Assert.True(seen is null or Length, $"Round {round}: {seen} bytes are visible.");
            (int exitCode, _, string error) = await MillraceCommand.EndAsync(put);
            Assert.True(exitCode == 0, $"Round {round}, {via}: {error}");
            using GetObjectResponse stored = await client.GetObjectAsync(cluster.BucketName, $"{round}");
            byte[] digest = await SHA256.HashDataAsync(stored.ResponseStream);
            Assert.Equal(Convert.ToHexString(SHA256.HashData(content)), Convert.ToHexString(digest));
            await client.DeleteObjectAsync(cluster.BucketName, $"{round}");
        }

        Assert.InRange(killed, (rounds + 1) / 2, rounds);
        await Orphans.ExpireAsync(client, cluster.BucketName);
    }

    private static async Task<long?> LengthAsync(IAmazonS3 client, string bucket, string key)
    {
        ListObjectsV2Response page = await client.ListObjectsV2Async(new ListObjectsV2Request { BucketName = bucket, Prefix = key, MaxKeys = 1 });
        return page.S3Objects?.FirstOrDefault(item => item.Key == key)?.Size;
    }
}
