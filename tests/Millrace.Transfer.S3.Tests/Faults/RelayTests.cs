using System.Globalization;

namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>A way to the bucket that cuts, delays and answers 503.</summary>
public sealed class RelayTests : BucketTest
{
    private static readonly byte[] Large = Bytes(30_000_001);

    [NeedsFact(Need.Ceph)]
    public async Task Cut_and_slow_connections_are_retried()
    {
        // Every third connection breaks within a part, and all bytes are late.
        await using var relay = new TestRelay(() => Bucket.Server.Address.Port, connection => connection % 3 == 1
            ? new RelayPlan { CutUpAfter = 3_000_000, CutDownAfter = 3_000_000, Reset = true, Delay = TimeSpan.FromMilliseconds(2), Window = 4 << 20 }
            : new RelayPlan { Delay = TimeSpan.FromMilliseconds(2), Window = 4 << 20 });
        using IAmazonS3 client = Bucket.Server.Connect(config => config.ServiceURL = relay.Address.AbsoluteUri);
        await using S3FileStore store = Open(client);
        StoredFile file = await store.PutAsync("large", Large);
        Assert.Equal(Sha256Digest.Compute(Large), file.Sha256);
        Assert.Equal(Large, await store.GetAsync("large"));
        Assert.True(relay.Connections > 2);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Requests_that_are_told_to_slow_down_are_retried()
    {
        // By the attempt, which the SDK names: requests are sent side by side, and a count of all could refuse one for ever.
        int refused = 0;
        var refusing = new CountedClient
        {
            Answer = request => Attempt(request) < 3 && Interlocked.Increment(ref refused) > 0 ? SlowDown() : null,
        };
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = refusing);
        await using S3FileStore store = Open(client);
        await store.PutAsync("large", Large);
        Assert.Equal(Large, await store.GetAsync("large"));
        Assert.True(refused > 4, $"{refused}");
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Bucket_that_stays_unavailable_is_reported_and_the_upload_goes_on_later()
    {
        bool down = false;
        var refusing = new CountedClient { Answer = _ => Volatile.Read(ref down) ? SlowDown() : null };
        using IAmazonS3 client = Bucket.Server.Connect(config =>
        {
            config.HttpClientFactory = refusing;
            config.MaxErrorRetry = 1;
        });
        await using S3FileStore store = Open(client);
        UploadStatus upload = await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = Large.Length }, default);
        await store.AppendAsync(upload.Id, 0, Large.AsMemory(0, 10_000_000));

        Volatile.Write(ref down, true);
        TransferException refused = await Assert.ThrowsAsync<TransferException>(
            () => store.AppendAsync(upload.Id, 10_000_000, Large.AsMemory(10_000_000)));
        Assert.Equal(TransferError.Unavailable, refused.Error);

        Volatile.Write(ref down, false);
        long offset = (await store.FindUploadAsync(upload.Id, takeOver: true, default))!.Offset;
        Assert.InRange(offset, 10_000_000, Large.Length);
        await store.AppendAsync(upload.Id, offset, Large.AsMemory((int)offset));
        Assert.Equal(Sha256Digest.Compute(Large), (await store.CompleteUploadAsync(upload.Id, null, default)).Sha256);
        Assert.Equal(Large, await store.GetAsync("a"));
    }

    // "attempt=1; max=5"
    private static int Attempt(HttpRequestMessage request) =>
        int.Parse(request.Headers.GetValues("amz-sdk-request").Single()["attempt=".Length..].Split(';')[0], CultureInfo.InvariantCulture);

    private static HttpResponseMessage SlowDown() => new(HttpStatusCode.ServiceUnavailable)
    {
        Content = new StringContent("<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>", Encoding.UTF8, "application/xml"),
    };

    private static byte[] Bytes(int length) => Content.Random(length, 3);
}
