using System.IO.Pipelines;
using Millrace.Transfer.Server.Tests.Infrastructure;

namespace Millrace.Transfer.Server.Tests.Stores;

public sealed class WriteTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_file_is_there_when_it_is_committed_and_not_before(bool portable)
    {
        using var folder = new OwnFolder();
        await using var store = new LocalFileStore(folder.Path, new LocalFileStoreOptions { Portable = portable });
        TransferName name = TransferName.Parse("a/b/c.txt");
        await using StoredFileWriter writer = await store.CreateAsync(name, default, default);
        await writer.Body.WriteAsync("hello"u8.ToArray());
        Assert.Null(await store.FindAsync(name, DigestNeed.IfKnown, default));

        StoredFile file = await writer.CommitAsync(null, default);
        Assert.Equal("hello", File.ReadAllText(folder["a/b/c.txt"]));
        Assert.Equal(5, file.Length);
        StoredFile? found = await store.FindAsync(name, DigestNeed.Always, default);
        Assert.Equal(file.Tag, found!.Tag);
        Assert.Equal(Sha256Digest.Of("hello"u8), found.Sha256);
    }

    [Fact]
    public async Task An_upload_is_continued_and_published()
    {
        using var folder = new OwnFolder();
        await using var store = new LocalFileStore(folder.Path);
        TransferName name = TransferName.Parse("up.txt");
        UploadStatus status = await store.StartUploadAsync(new StartUploadOptions { Name = name, Length = 6 }, default);
        await using (UploadWriter writer = await store.AppendUploadAsync(status.Id, 0, discardable: false, default))
        {
            await writer.Body.WriteAsync("abc"u8.ToArray());
            Assert.Equal(3, (await writer.SaveAsync(default)).Offset);
        }

        await using (UploadWriter writer = await store.AppendUploadAsync(status.Id, 3, discardable: false, default))
        {
            await writer.Body.WriteAsync("def"u8.ToArray());
            await writer.SaveAsync(default);
        }

        StoredFile file = await store.CompleteUploadAsync(status.Id, null, default);
        Assert.Equal(Sha256Digest.Of("abcdef"u8), file.Sha256);
        Assert.Equal("abcdef", File.ReadAllText(folder["up.txt"]));
    }
}
