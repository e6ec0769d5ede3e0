namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>The keys of the server stop working during an upload.</summary>
public sealed class RevokedKeysTests : BucketTest
{
    [NeedsFact(Need.Ceph)]
    public async Task Upload_is_refused_and_goes_on_with_valid_keys()
    {
        byte[] content = Content.Random(24_000_000, 5);
        string user = "revoked-" + Bucket.Name;
        await Bucket.Server.RunAdminAsync("user", "create", "--uid", user, "--display-name", user, "--access-key", user, "--secret-key", user);
        using IAmazonS3 client = Bucket.Server.Connect(user, user);
        await client.PutBucketAsync(user);
        UploadId id;
        await using (S3FileStore store = Open(client, user))
        {
            id = (await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = content.Length }, default)).Id;
            await store.AppendAsync(id, 0, content.AsMemory(0, 10_000_000));
            await Bucket.Server.RunAdminAsync("user", "suspend", "--uid", user);
            TransferException refused = await Assert.ThrowsAsync<TransferException>(
                () => store.AppendAsync(id, 10_000_000, content.AsMemory(10_000_000)));
            Assert.Equal(TransferError.Unavailable, refused.Error);
        }

        await Bucket.Server.RunAdminAsync("user", "enable", "--uid", user);
        await using S3FileStore again = Open(client, user);
        Assert.Null(await again.FindAsync("a".Name(), DigestNeed.IfKnown, default));
        long offset = (await again.FindUploadAsync(id, takeOver: true, default))!.Offset;
        Assert.InRange(offset, 10_000_000, content.Length);
        await again.AppendAsync(id, offset, content.AsMemory((int)offset));
        Assert.Equal(Sha256Digest.Compute(content), (await again.CompleteUploadAsync(id, null, default)).Sha256);
    }

    private static S3FileStore Open(IAmazonS3 client, string bucket) => new(new S3FileStoreOptions { Bucket = bucket, Client = client });
}
