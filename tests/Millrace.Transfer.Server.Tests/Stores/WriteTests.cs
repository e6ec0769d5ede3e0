using System.Globalization;
using static Millrace.Transfer.Server.Tests.Stores.StoreExtensions;

namespace Millrace.Transfer.Server.Tests.Stores;

public sealed class WriteTests : ContractTest
{
    private static readonly WritePrecondition New = new() { CreateNew = true };

    [Theory, EveryStore]
    public async Task File_is_visible_only_after_its_commit(bool portable)
    {
        IFileStore store = Open(portable);
        await using StoredFileWriter writer = await store.CreateAsync("c.txt".Name(), default, default);
        await writer.Output.WriteAsync("hello"u8.ToArray());
        Assert.Null(await store.FindAsync("c.txt"));

        StoredFile file = await writer.CommitAsync(null, default);
        Assert.Equal("hello", File.ReadAllText(Files.PathOf("c.txt")));
        TestedStore.AssertIsPublished(file, await store.FindAsync("c.txt"));
        Assert.Equal(Sha256Digest.Compute("hello"u8), file.Sha256);
    }

    [Theory, EveryStore]
    public async Task Missing_folders_of_a_name_are_created(bool portable)
    {
        IFileStore store = Open(portable);
        await store.PutAsync("a/b/c.txt", "x");
        Assert.Equal("x", File.ReadAllText(Files.PathOf("a/b/c.txt")));
    }

    [Theory, EveryStore]
    public async Task Uncommitted_file_leaves_nothing(bool portable)
    {
        IFileStore store = Open(portable);
        await using (StoredFileWriter writer = await store.CreateAsync("a".Name(), default, default))
        {
            await writer.Output.WriteAsync(new byte[3_000_000]);
        }

        Assert.Empty(Files.VisibleNames());
    }

    [Theory, EveryStore]
    public async Task A_file_with_another_digest_is_not_published(bool portable)
    {
        IFileStore store = Open(portable);
        await store.PutAsync("a", "before");
        await using (StoredFileWriter writer = await store.CreateAsync("a".Name(), default, default))
        {
            await writer.Output.WriteAsync("after"u8.ToArray());
            await writer.CommitAsync(Sha256Digest.Compute("afterr"u8), default).FailsAsync(TransferError.DigestMismatch);
        }

        Assert.Equal("before", await store.GetAsync("a"));
        Assert.Equal(["a"], Files.VisibleNames());
    }

    [Fact]
    public async Task Digest_is_verified_even_if_none_is_stored()
    {
        IFileStore store = Open(new LocalFileStoreOptions { ComputeSha256 = false });
        await using StoredFileWriter writer = await store.CreateAsync("a".Name(), default, default);
        await writer.Output.WriteAsync("after"u8.ToArray());
        await writer.CommitAsync(Sha256Digest.Compute("before"u8), default).FailsAsync(TransferError.DigestMismatch);
    }

    [Theory, EveryStore]
    public async Task A_large_file_has_the_digest_of_all_its_bytes(bool portable)
    {
        IFileStore store = Open(portable);
        byte[] content = Content.Random(5_000_001, 7);
        await using StoredFileWriter writer =
            await store.CreateAsync("a".Name(), new CreateFileOptions { Length = content.Length }, default);
        for (int i = 0; i < content.Length; i += 100_000)
        {
            await writer.Output.WriteAsync(content.AsMemory(i, Math.Min(100_000, content.Length - i)));
        }

        StoredFile file = await writer.CommitAsync(Sha256Digest.Compute(content), default);
        Assert.Equal(Sha256Digest.Compute(content), file.Sha256);
    }

    [Theory, EveryStore]
    public async Task File_shorter_than_announced_has_its_real_length(bool portable)
    {
        IFileStore store = Open(portable);
        await using StoredFileWriter writer =
            await store.CreateAsync("a".Name(), new CreateFileOptions { Length = 2_000_000 }, default);
        await writer.Output.WriteAsync("short"u8.ToArray());
        Assert.Equal(5, (await writer.CommitAsync(null, default)).Length);
        Assert.Equal(Sha256Digest.Compute("short"u8), (await store.FindAsync("a", DigestNeed.Always))!.Sha256);
    }

    [NeedsTheory(Need.Wine, "does not rename over an open file"), EveryStore]
    [NeedsLocalFolder]
    public async Task Reader_keeps_its_version_while_the_name_is_replaced(bool portable)
    {
        IFileStore store = Open(portable);
        await store.PutAsync("a", "before");
        await using StoredFileReader reader = await store.OpenReadAsync("a".Name(), DigestNeed.Always, default);
        await store.PutAsync("a", "after!");
        Assert.Equal("before", await reader.GetAsync());
        Assert.Equal("after!", await store.GetAsync("a"));
    }

    [Theory, EveryStore]
    public async Task One_of_many_writers_of_a_new_name_wins(bool portable)
    {
        IFileStore store = Open(portable);
        StoredFileWriter[] writers = await Task.WhenAll(Enumerable.Range(0, 8).Select(async i =>
        {
            StoredFileWriter writer =
                await store.CreateAsync("a".Name(), new CreateFileOptions { Precondition = New }, default);
            await writer.Output.WriteAsync(Encoding.UTF8.GetBytes($"{i}"));
            return writer;
        }));
        int won = 0;
        await Task.WhenAll(writers.Select(async writer =>
        {
            try
            {
                await writer.CommitAsync(null, default);
                Interlocked.Increment(ref won);
            }
            catch (TransferException exception)
            {
                Assert.Equal(TransferError.AlreadyExists, exception.Error);
            }
        }));
        foreach (StoredFileWriter writer in writers)
        {
            await writer.DisposeAsync();
        }

        Assert.Equal(1, won);
        Assert.Equal(["a"], Files.VisibleNames());
    }

    [Theory, EveryStore]
    public async Task File_created_by_hand_meanwhile_is_not_replaced(bool portable)
    {
        IFileStore store = Open(portable);
        await using StoredFileWriter writer =
            await store.CreateAsync("a".Name(), new CreateFileOptions { Precondition = New }, default);
        await Files.WriteAsync("a", "theirs"u8.ToArray());
        await writer.CommitAsync(null, default).FailsAsync(TransferError.AlreadyExists);
        Assert.Equal("theirs", File.ReadAllText(Files.PathOf("a")));
    }

    [NeedsTheory(Need.Wine, "does not rename over an open file"), EveryStore]
    public async Task One_of_many_writers_of_the_same_version_wins_at_a_time(bool portable)
    {
        IFileStore store = Open(portable);
        await store.PutAsync("count", "0");
        // Against a hang only: a writer may wait for all others, a minute on a busy machine with a bucket.
        var bound = TimeSpan.FromMinutes(10);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(async _ =>
        {
            for (int added = 0; added < 25;)
            {
                await using StoredFileReader reader = await store.OpenReadAsync("count".Name(), DigestNeed.IfKnown, default);
                int count = int.Parse(await reader.GetAsync(), CultureInfo.InvariantCulture);
                try
                {
                    await store.PutAsync("count", $"{count + 1}", new WritePrecondition { Match = [reader.File.Tag] });
                    added++;
                }
                catch (TransferException exception) when (exception.Error is TransferError.PreconditionFailed or TransferError.Unavailable)
                {
                    // Another one was faster, or, over a bucket, had the name for a minute: it reads again.
                }
            }
        })).WaitAsync(bound);
        Assert.Equal("100", await store.GetAsync("count"));
    }

    [Theory, EveryStore]
    public async Task A_precondition_is_checked_when_writing_begins(bool portable)
    {
        IFileStore store = Open(portable);
        StoredFile file = await store.PutAsync("a", "1");
        await store.PutAsync("a", "2", New).FailsAsync(TransferError.AlreadyExists);
        await store.PutAsync("b", "2", new WritePrecondition { MustExist = true }).FailsAsync(TransferError.PreconditionFailed);
        await store.PutAsync("a", "2", new WritePrecondition { Match = [file.Tag] });
        await store.PutAsync("a", "3", new WritePrecondition { Match = [file.Tag] }).FailsAsync(TransferError.PreconditionFailed);
    }

    [Theory, EveryStore]
    [NeedsLocalFolder]
    public async Task File_cannot_replace_a_folder(bool portable)
    {
        IFileStore store = Open(portable);
        await store.PutAsync("a/b", "1");
        await store.PutAsync("a", "2").FailsAsync(TransferError.InvalidRequest);
        await store.PutAsync("a/b/c", "2").FailsAsync(TransferError.InvalidRequest);
        Assert.Null(await store.FindAsync("a"));
        Assert.Null(await store.FindAsync("a/b/c"));
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task A_message_never_names_a_path_of_the_server()
    {
        IFileStore store = Open();
        await store.PutAsync("a/b", "1");
        TransferException exception = await Assert.ThrowsAsync<TransferException>(() => store.PutAsync("a", "2"));
        Assert.DoesNotContain("/", exception.Message, StringComparison.Ordinal);
        Assert.Contains("'a'", exception.Message, StringComparison.Ordinal);
    }
}
