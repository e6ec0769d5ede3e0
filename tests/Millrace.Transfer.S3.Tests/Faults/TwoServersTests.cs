namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>Two servers on one bucket, and clients that use both.</summary>
public sealed class TwoServersTests : BucketTest
{
    [NeedsFact(Need.Ceph)]
    public async Task Two_clients_that_append_to_one_upload_never_mix_their_bytes()
    {
        for (int round = 0; round < Soak.Times(3, 30); round++)
        {
            byte[] content = Content.Random(20_000_000 + round, round);
            await using S3FileStore one = Open();
            await using S3FileStore two = Open();
            UploadStatus upload = await one.StartUploadAsync(
                new StartUploadOptions { Name = $"file{round}".Name(), Length = content.Length }, default);
            await Task.WhenAll(SendAsync(one, upload.Id, content, 1), SendAsync(two, upload.Id, content, 2)).WaitAsync(TimeSpan.FromMinutes(3));
            Assert.Equal(content, await one.GetAsync($"file{round}"));
            Assert.Equal(Sha256Digest.Compute(content), (await two.FindAsync($"file{round}".Name(), DigestNeed.Always, default))!.Sha256);
        }

        await Orphans.ExpireAsync(Bucket.Client, Bucket.Name);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Acknowledged_bytes_survive_the_death_of_their_server()
    {
        Write("whole", 3_000_000);
        byte[] content = await File.ReadAllBytesAsync(Folder["whole"]);
        await using ServedBucket first = await ServeAsync();
        await using ServedBucket second = await ServeAsync();
        using var create = new HttpRequestMessage(HttpMethod.Post, new Uri("/uploads", UriKind.Relative));
        create.Headers.Add("Tus-Resumable", "1.0.0");
        create.Headers.Add("Upload-Length", "3000000");
        create.Headers.Add("Upload-Metadata", "filename " + Convert.ToBase64String("a"u8));
        using HttpResponseMessage created = await first.Client.SendAsync(create);
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        string path = new Uri(first.Client.BaseAddress!, created.Headers.Location!).AbsolutePath;

        // Less than a part, so that it is in the tail alone.
        Assert.Equal(HttpStatusCode.NoContent, await PatchAsync(first, path, 0, content.AsMemory(0, 1_000_000)));
        await first.KillAsync();
        Assert.Equal(HttpStatusCode.NoContent, await PatchAsync(second, path, 1_000_000, content.AsMemory(1_000_000)));
        Assert.Equal(content, await second.Client.GetByteArrayAsync(new Uri("/files/a", UriKind.Relative)));
    }

    private static async Task<HttpStatusCode> PatchAsync(ServedBucket server, string path, long offset, ReadOnlyMemory<byte> content)
    {
        using var patch = new HttpRequestMessage(HttpMethod.Patch, new Uri(path, UriKind.Relative)) { Content = new ReadOnlyMemoryContent(content) };
        patch.Headers.Add("Tus-Resumable", "1.0.0");
        patch.Headers.Add("Upload-Offset", offset.ToString(System.Globalization.CultureInfo.InvariantCulture));
        patch.Content.Headers.ContentType = new("application/offset+octet-stream");
        using HttpResponseMessage response = await server.Client.SendAsync(patch);
        return response.StatusCode;
    }

    /// <summary>As a client whose requests are cut off by another one: asks for the offset, and goes on.</summary>
    private static async Task SendAsync(S3FileStore store, UploadId id, byte[] content, int seed)
    {
        var random = new Random(seed);
        while (true)
        {
            try
            {
                UploadStatus status = (await store.FindUploadAsync(id, takeOver: true, default))!;
                if (status.Published is not null)
                {
                    return;
                }

                if (status.IsComplete)
                {
                    await store.CompleteUploadAsync(id, null, default);
                    return;
                }

                int length = (int)Math.Min(random.Next(1, 9_000_000), content.Length - status.Offset);
                await store.AppendAsync(id, status.Offset, content.AsMemory((int)status.Offset, length));
            }
            catch (Exception exception) when (exception is TransferException { Error: not TransferError.DigestMismatch } or OperationCanceledException)
            {
                // The other one was faster.
            }
        }
    }
}
