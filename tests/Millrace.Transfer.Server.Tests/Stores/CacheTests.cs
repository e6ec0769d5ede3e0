using System.IO.Pipelines;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>
/// Files of more bytes than <see cref="LocalFileStoreOptions.MaxCachedBytes"/> leave the page cache as it was. Shares, not numbers: the kernel
/// also evicts pages.
/// </summary>
public sealed class CacheTests : StoreTest
{
    private const int Length = 24 * 1024 * 1024;
    private const long Small = 1024 * 1024;

    private static readonly byte[] Bytes = Content.Random(Length, seed: 1);

    [NeedsTheory(Need.Native)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Received_file_leaves_no_pages(bool digest)
    {
        await PutAsync(Open(new LocalFileStoreOptions { MaxCachedBytes = Small, ComputeSha256 = digest }));
        Assert.InRange(PageResidence.ShareOf(Folder["a"]), 0, 0.02);
    }

    [NeedsTheory(Need.Native)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Resumable_upload_leaves_no_pages(bool digest)
    {
        await UploadAsync(Open(new LocalFileStoreOptions { MaxCachedBytes = Small, ComputeSha256 = digest }));
        Assert.InRange(PageResidence.ShareOf(Folder["a"]), 0, 0.02);
    }

    [NeedsFact(Need.Native)]
    public async Task Smaller_files_stay_in_the_cache()
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { MaxCachedBytes = Length });
        await PutAsync(store);
        Assert.InRange(PageResidence.ShareOf(Folder["a"]), 0.5, 1);

        PageResidence.Evict(Folder["a"]);
        await ReadAsync(store);
        Assert.InRange(PageResidence.ShareOf(Folder["a"]), 0.5, 1);
    }

    [NeedsFact(Need.Native)]
    public async Task Reading_and_hashing_leave_no_pages_and_those_of_others_stay()
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { MaxCachedBytes = Small });
        await File.WriteAllBytesAsync(Folder["a"], Bytes);
        PageResidence.Evict(Folder["a"]);
        await ReadAsync(store);
        Assert.InRange(PageResidence.ShareOf(Folder["a"]), 0, 0.02);

        await using (StoredFileReader reader = await store.OpenReadAsync("a".Name(), DigestNeed.Always, default))
        {
            Assert.Equal(Sha256Digest.Compute(Bytes), reader.File.Sha256);

            // The kernel's own copy to a socket would leave them.
            Assert.Null(reader.FindHandle(new ByteRange(0, Length)));
        }

        Assert.InRange(PageResidence.ShareOf(Folder["a"]), 0, 0.02);

        _ = await File.ReadAllBytesAsync(Folder["a"]);
        await ReadAsync(store);
        Assert.InRange(PageResidence.ShareOf(Folder["a"]), 0.5, 1);
    }

    private static async Task PutAsync(LocalFileStore store)
    {
        await using StoredFileWriter writer = await store.CreateAsync("a".Name(), new CreateFileOptions { Length = Length }, default);
        await WriteAsync(writer.Output, 0);
        StoredFile file = await writer.CommitAsync(null, default);
        Assert.Equal(Length, file.Length);
        await ThrowIfOtherDigestAsync(store, file);
    }

    private static async Task UploadAsync(LocalFileStore store)
    {
        UploadStatus upload = await store.StartAsync("a", Length);
        for (int offset = 0; offset < Length; offset += Length / 3)
        {
            await using UploadWriter writer = await store.AppendUploadAsync(upload.Id, offset, false, default);
            await WriteAsync(writer.Output, offset, Length / 3);
            _ = await writer.SaveAsync(default);
        }

        await ThrowIfOtherDigestAsync(store, await store.CompleteUploadAsync(upload.Id, null, default));
    }

    private static async Task ThrowIfOtherDigestAsync(LocalFileStore store, StoredFile file)
    {
        if (file.Sha256 is { } digest)
        {
            Assert.Equal(Sha256Digest.Compute(Bytes), digest);
            Assert.Equal(digest, (await store.FindAsync("a"))!.Sha256);
        }
    }

    private static async Task WriteAsync(PipeWriter output, int offset, int length = Length)
    {
        const int Piece = 256 * 1024;
        for (int end = offset + length; offset < end; offset += Piece)
        {
            await output.WriteAsync(Bytes.AsMemory(offset, Math.Min(Piece, end - offset)));
        }
    }

    private static async Task ReadAsync(LocalFileStore store)
    {
        await using StoredFileReader reader = await store.OpenReadAsync("a".Name(), DigestNeed.IfKnown, default);
        PipeReader pipe = reader.Read(new ByteRange(0, Length));
        using var content = new MemoryStream();
        await pipe.CopyToAsync(content);
        await pipe.CompleteAsync();
        Assert.Equal(Bytes, content.ToArray());
    }
}
