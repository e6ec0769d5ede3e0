namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>A scrub of a bucket, which several servers share.</summary>
public sealed class ScrubTests : BucketTest
{
    [NeedsFact(Need.Ceph)]
    public async Task Objects_are_compared_and_those_of_other_programs_get_a_digest()
    {
        await using S3FileStore store = Open();
        await store.PutAsync("own", "content"u8.ToArray());
        await Bucket.PutAsync("foreign", "other"u8.ToArray());
        await using var scrub = new StoreScrub(store);
        ScrubStatus status = await scrub.RunAsync();

        Assert.Equal((2, 12, 0, 0), (status.Files, status.Bytes, status.Skipped, status.Damaged.Count));
        Assert.Equal(Sha256Digest.Compute("other"u8), (await store.FindAsync("foreign".Name(), DigestNeed.IfKnown, default))!.Sha256);
        Assert.NotNull((await StoreScrub.ReadStatusAsync(store)).Completed);
    }

    [NeedsFact(Need.Ceph)]
    public async Task One_server_reads_and_another_one_takes_over()
    {
        await using S3FileStore store = Open();
        await store.PutAsync("file", "content"u8.ToArray());
        await using S3FileStore other = Open();
        var busy = new TaskCompletionSource();
        var go = new TaskCompletionSource();
        var progress = new Reaction(() =>
        {
            busy.TrySetResult();
            go.Task.Wait(TimeSpan.FromMinutes(1));
        });
        await using var first = new StoreScrub(store, new ScrubOptions { Progress = progress });
        Task<ScrubStatus> running = Task.Run(() => first.RunAsync());
        await busy.Task.WaitAsync(TimeSpan.FromMinutes(1));
        await using var second = new StoreScrub(other);
        TransferException refused = await Assert.ThrowsAsync<TransferException>(() => second.RunAsync());
        Assert.Equal(TransferError.Superseded, refused.Error);

        go.SetResult();
        Assert.Equal(1, (await running).Files);
        Assert.Equal(1, (await second.RunAsync()).Files);
    }

    private sealed class Reaction(Action react) : IProgress<ScrubStatus>
    {
        public void Report(ScrubStatus value) => react();
    }
}
