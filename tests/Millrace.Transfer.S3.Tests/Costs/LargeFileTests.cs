namespace Millrace.Transfer.S3.Tests.Costs;

/// <summary>A file larger than one PutObject allows (5 GiB), in full with ./test --soak.</summary>
public sealed class LargeFileTests : BucketTest
{
    private CephServer? _ceph;

    [NeedsFact(Need.Ceph)]
    public async Task File_past_the_limit_of_one_request_is_put_moved_and_got()
    {
        long length = Soak.Asked ? 6L << 30 : 200L << 20;
        await using ServedBucket server = await ServeAsync();
        using (FileStream file = File.Create(Folder["large"]))
        {
            byte[] block = new byte[1 << 20];
            var random = new Random(1);
            for (long left = length; left > 0; left -= block.Length)
            {
                random.NextBytes(block);
                file.Write(block);
            }
        }

        await MillraceCommand.SucceedAsync(Folder.Path, "put", "--quiet", "large", server.Files + "large");
        string digest = DigestOf("large");
        File.Delete(Folder["large"]);
        using var move = new HttpRequestMessage(new HttpMethod("MOVE"), new Uri("/files/large", UriKind.Relative));
        move.Headers.Add("Destination", "/files/moved");
        Assert.Equal(HttpStatusCode.Created, (await server.Client.SendAsync(move)).StatusCode);
        Assert.Equal(["moved"], await Bucket.VisibleAsync());
        await MillraceCommand.SucceedAsync(Folder.Path, "get", "--quiet", server.Files + "moved", "back");
        Assert.Equal(length, new FileInfo(Folder["back"]).Length);
        Assert.Equal(digest, DigestOf("back"));
    }

    public override async Task DisposeAsync()
    {
        await base.DisposeAsync();
        _ceph?.Dispose();
    }

    private protected override async Task<CephServer?> ServerAsync() =>
        Soak.Asked && Needs.Missing(Need.Ceph) is null ? _ceph = await CephServer.StartAsync(onDisk: true) : null;
}
