using System.Net;

namespace Millrace.Transfer.S3.Tests.Costs;

/// <summary>Of a delta, the bucket copies the parts that it has, and only the rest is sent to it.</summary>
public sealed class DeltaTests : BucketTest
{
    private const int Part = 5 << 20;

    private static readonly byte[] Old = Content.Random((4 * Part) + 1000);

    [NeedsFact(Need.Ceph)]
    public async Task Whole_parts_are_copied_and_the_rest_is_sent()
    {
        var seen = new Requests();
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = seen.Client);
        await using S3FileStore store = Open(client, static options => options.PartBytes = Part);
        await store.PutAsync("a", Old);
        seen.Forget();

        // A literal, the rest of its part from the old version, whole parts from odd offsets, and a literal at the end.
        byte[] content = [.. "front"u8, .. Old.AsSpan(100, (3 * Part) + 50), .. "middle"u8, .. Old.AsSpan(0, Part)];
        UploadStatus upload;
        await using (StoredFileReader old = await store.OpenReadAsync("a".Name(), DigestNeed.IfKnown, default))
        {
            upload = await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = content.Length }, default);
            await using UploadWriter writer = await store.AppendUploadAsync(upload.Id, 0, discardable: false, default);
            await writer.Output.WriteAsync("front"u8.ToArray());
            Assert.False(await writer.TryCopyAsync(old, new Millrace.Transfer.ByteRange(0, 1000), default));
            Assert.True(await writer.TryCopyAsync(old, new Millrace.Transfer.ByteRange(100, (3 * Part) + 50), default));
            await writer.Output.WriteAsync("middle"u8.ToArray());
            Assert.True(await writer.TryCopyAsync(old, new Millrace.Transfer.ByteRange(0, Part), default));
            Assert.Equal(content.Length, writer.Offset);
            UploadStatus saved = await writer.SaveAsync(default);
            Assert.Equal(content.Length, saved.Offset);
        }

        await PublishAsync(store, upload.Id, content);

        // The second part, the third, and the end of 61 bytes. The first and the fourth have literals.
        Assert.Equal((3, 2 * Part), (seen.Copies, seen.SentBytes));
    }

    [NeedsFact(Need.Ceph)]
    public async Task Upload_goes_on_after_copied_parts()
    {
        await using S3FileStore store = Open(configure: static options => options.PartBytes = Part);
        await store.PutAsync("a", Old);
        byte[] content = [.. Old.AsSpan(0, 3 * Part), .. "end"u8];
        UploadStatus upload;
        await using (StoredFileReader old = await store.OpenReadAsync("a".Name(), DigestNeed.IfKnown, default))
        {
            upload = await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = content.Length }, default);
            await using UploadWriter writer = await store.AppendUploadAsync(upload.Id, 0, discardable: false, default);
            Assert.True(await writer.TryCopyAsync(old, new Millrace.Transfer.ByteRange(0, (2 * Part) + 7), default));
        }

        await using S3FileStore another = Open(configure: static options => options.PartBytes = Part);
        long offset = (await another.FindUploadAsync(upload.Id, takeOver: true, default))!.Offset;
        Assert.Equal((2 * Part) + 7, offset);
        await another.AppendAsync(upload.Id, offset, content.AsMemory((int)offset));
        await PublishAsync(another, upload.Id, content);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Version_that_was_replaced_is_not_copied()
    {
        await using S3FileStore store = Open(configure: static options => options.PartBytes = Part);
        await store.PutAsync("a", Old);
        await using StoredFileReader old = await store.OpenReadAsync("a".Name(), DigestNeed.IfKnown, default);
        await store.PutAsync("a", Content.Random(3 * Part, 8));
        UploadStatus upload = await store.StartUploadAsync(new StartUploadOptions { Name = "b".Name(), Length = 3 * Part }, default);
        await using UploadWriter writer = await store.AppendUploadAsync(upload.Id, 0, discardable: false, default);
        TransferException failed = await Assert.ThrowsAsync<TransferException>(async () =>
        {
            await writer.TryCopyAsync(old, new Millrace.Transfer.ByteRange(0, 3 * Part), default);
            await writer.SaveAsync(default);
        });
        Assert.True(failed.Error is TransferError.PreconditionFailed or TransferError.Changed, $"{failed.Error}");
        Assert.Null(await store.FindAsync("b".Name(), DigestNeed.IfKnown, default));
    }

    [NeedsFact(Need.Ceph)]
    public async Task Bytes_are_sent_where_the_service_does_not_copy()
    {
        var seen = new Requests { Refuses = true };
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = seen.Client);
        await using S3FileStore store = Open(client, static options => options.PartBytes = Part);
        await store.PutAsync("a", Old);
        await using StoredFileReader old = await store.OpenReadAsync("a".Name(), DigestNeed.IfKnown, default);
        UploadStatus upload = await store.StartUploadAsync(new StartUploadOptions { Name = "b".Name(), Length = 3 * Part }, default);
        await using UploadWriter writer = await store.AppendUploadAsync(upload.Id, 0, discardable: false, default);
        await Assert.ThrowsAsync<TransferException>(async () =>
        {
            await writer.TryCopyAsync(old, new Millrace.Transfer.ByteRange(0, 3 * Part), default);
            await writer.SaveAsync(default);
        });
        Assert.False(await writer.TryCopyAsync(old, new Millrace.Transfer.ByteRange(0, 3 * Part), default));
    }

    private static async Task PublishAsync(S3FileStore store, UploadId id, byte[] content)
    {
        StoredFile file = await store.CompleteUploadAsync(id, Sha256Digest.Compute(content), default);
        Assert.Equal(Sha256Digest.Compute(content), file.Sha256);
        Assert.Equal(content, await store.GetAsync("a"));
    }

    private sealed class Requests
    {
        private int _copies;
        private long _sentBytes;

        public Requests() => Client = new CountedClient { Answer = Look };

        public CountedClient Client { get; }

        public bool Refuses { get; init; }

        public int Copies => _copies;

        public long SentBytes => Interlocked.Read(ref _sentBytes);

        public void Forget() => (_copies, _sentBytes) = (0, 0);

        private HttpResponseMessage? Look(HttpRequestMessage request)
        {
            if (!request.Headers.Contains("x-amz-copy-source"))
            {
                Interlocked.Add(ref _sentBytes, request.RequestUri!.Query.Contains("partNumber", StringComparison.Ordinal) ? request.Content?.Headers.ContentLength ?? 0 : 0);
                return null;
            }

            Interlocked.Increment(ref _copies);
            return Refuses ? new HttpResponseMessage(HttpStatusCode.NotImplemented)
            {
                Content = new StringContent("<Error><Code>NotImplemented</Code></Error>"),
            }
            : null;
        }
    }
}
