using System.IO.Hashing;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>A digest, and a tag, is that of the bytes that are there, whatever happened to file and record.</summary>
public sealed class DigestTests : StoreTest
{
    [Theory, EveryStore]
    public async Task Digest_of_an_upload_is_stored_and_not_computed_again(bool portable)
    {
        var options = new LocalFileStoreOptions { Portable = portable };
        await using (LocalFileStore store = Open(options))
        {
            await store.PutAsync("a", "content");
        }

        LocalFileStore again = Open(options);
        Assert.Equal(Sha256Digest.Compute("content"u8), (await again.FindAsync("a"))!.Sha256);
        Assert.Equal(0, again.Core.Work.Computed);
    }

    [Theory, EveryStore]
    public async Task Digest_of_a_file_placed_by_hand_is_computed_on_demand(bool portable)
    {
        LocalFileStore store = Open(portable);
        File.WriteAllText(Folder["a"], "content");
        Assert.Null((await store.FindAsync("a"))!.Sha256);
        Assert.Equal(Sha256Digest.Compute("content"u8), (await store.FindAsync("a", DigestNeed.IfCheap))!.Sha256);
        Assert.Equal(Sha256Digest.Compute("content"u8), (await store.FindAsync("a"))!.Sha256);
        Assert.Equal(1, store.Core.Work.Computed);
    }

    [Theory, EveryStore]
    public async Task Concurrent_requests_hash_a_file_once(bool portable)
    {
        LocalFileStore store = Open(portable);
        File.WriteAllBytes(Folder["a"], new byte[10_000_000]);
        Assert.Null((await store.FindAsync("a"))!.Sha256);
        StoredFile?[] found = await Task.WhenAll(
            Enumerable.Range(0, 20).Select(_ => Task.Run(() => store.FindAsync("a", DigestNeed.Always))));
        Assert.Single(found.Select(file => file!.Sha256).Distinct());
        Assert.Equal(1, store.Core.Work.Computed);
    }

    [Theory, EveryStore]
    public async Task Large_file_is_hashed_in_the_background_for_later_requests(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, CheapDigestBytes = 10 });
        File.WriteAllText(Folder["a"], "more than ten");
        Assert.Null((await store.FindAsync("a", DigestNeed.IfCheap))!.Sha256);
        await Bounded.UntilAsync(async () => (await store.FindAsync("a"))!.Sha256 == Sha256Digest.Compute("more than ten"u8));
    }

    [NeedsTheory(Need.Linux), EveryStore]
    public async Task Only_a_few_large_files_are_read_at_once_and_none_for_a_request_that_has_ended(bool portable)
    {
        const int Reading = 4, Asked = 8;
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable });
        for (int i = 0; i < Asked; i++)
        {
            // Zeros that take no room on the disk, and minutes to be read.
            using var file = new FileStream(Folder[$"{i}"], FileMode.CreateNew);
            file.SetLength(1L << 40);
        }

        File.WriteAllText(Folder["small"], "content");
        using var end = new CancellationTokenSource();
        Task<StoredFile?>[] asked =
            [.. Enumerable.Range(0, Asked).Select(i => store.FindAsync($"{i}".Name(), DigestNeed.Always, end.Token).AsTask())];
        await Bounded.UntilAsync(() => store.Core.Work.Computed == Reading);

        // A small file does not wait for them.
        Assert.Equal(Sha256Digest.Compute("content"u8), (await store.FindAsync("small", DigestNeed.Always))!.Sha256);
        await end.CancelAsync();
        foreach (Task<StoredFile?> task in asked)
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);
        }

        Assert.Equal(Reading + 1, store.Core.Work.Computed);
    }

    [Theory, EveryStore]
    public async Task Damaged_record_is_detected_wherever_the_damage_is(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a", "content");
        string path = store.Core.Digests.PathOf("a".Name());
        byte[] record = File.ReadAllBytes(path);
        for (int i = 0; i < record.Length; i++)
        {
            byte[] damaged = [.. record];
            damaged[i] ^= 1;
            File.WriteAllBytes(path, damaged);
            Assert.Null((await store.FindAsync("a"))!.Sha256);
            File.WriteAllBytes(path, record[..i]);
            Assert.Null((await store.FindAsync("a"))!.Sha256);
        }

        Assert.Equal(Sha256Digest.Compute("content"u8), (await store.FindAsync("a", DigestNeed.Always))!.Sha256);
        Assert.Equal(Sha256Digest.Compute("content"u8), (await store.FindAsync("a"))!.Sha256);
    }

    [Theory, EveryStore]
    public async Task Checksum_is_kept_with_the_digest_and_moves_along(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("folder/put", "content");
        File.WriteAllText(Folder["folder/hand"], "content");
        Assert.Null(await ChecksumAsync(store, "folder/hand"));
        await store.FindAsync("folder/hand", DigestNeed.Always);

        await store.MoveAsync("folder/put", "folder/moved");
        await store.MoveAsync("folder", "other");
        await store.Core.Work.Moves;
        Assert.Equal(Crc32.HashToUInt32("content"u8), await ChecksumAsync(store, "other/moved"));
        Assert.Equal(Crc32.HashToUInt32("content"u8), await ChecksumAsync(store, "other/hand"));

        File.WriteAllText(Folder["other/moved"], "CONTENT");
        Assert.Null(await ChecksumAsync(store, "other/moved"));
    }

    [Theory, EveryStore]
    public async Task Record_of_an_earlier_version_has_no_checksum(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a", "content");
        using (SafeFileHandle file = File.OpenHandle(Folder["a"]))
        {
            store.Core.Digests.Write("a".Name(), store.Core.Tree.Look(file), new FileDigest(Sha256Digest.Compute("content"u8), Crc32: null));
        }

        Assert.Equal("MRDIGST1"u8.ToArray(), File.ReadAllBytes(store.Core.Digests.PathOf("a".Name()))[..8]);
        Assert.Equal(Sha256Digest.Compute("content"u8), (await store.FindAsync("a"))!.Sha256);
        Assert.Null(await ChecksumAsync(store, "a"));
        await store.MoveAsync("a", "b");
        Assert.Equal(Sha256Digest.Compute("content"u8), (await store.FindAsync("b"))!.Sha256);
    }

    [Theory, EveryStore]
    public async Task Description_of_a_file_outlives_its_record_and_not_its_version(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a", "content");
        StoredFile first = (await store.FindAsync("a"))!;
        File.Delete(store.Core.Digests.PathOf("a".Name()));
        Assert.Same(first, await store.FindAsync("a"));

        File.WriteAllText(Folder["a"], "CONTENT");
        StoredFile second = (await store.FindAsync("a"))!;
        Assert.NotEqual(first.Tag, second.Tag);
        Assert.Null(second.Sha256);
    }

    [Theory, EveryStore]
    public async Task Record_of_another_name_is_ignored(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a", "content");
        await store.PutAsync("b", "CONTENT");
        File.Copy(store.Core.Digests.PathOf("a".Name()), store.Core.Digests.PathOf("b".Name()), overwrite: true);
        Assert.Null((await store.FindAsync("b"))!.Sha256);
    }

    [Theory, EveryStore]
    public async Task Changed_file_has_a_new_tag_and_digest(bool portable)
    {
        LocalFileStore store = Open(portable);
        StoredFile before = await store.PutAsync("a", "content");
        File.WriteAllText(Folder["a"], "CONTENT");
        StoredFile after = (await store.FindAsync("a", DigestNeed.Always))!;
        Assert.NotEqual(before.Tag, after.Tag);
        Assert.Equal(Sha256Digest.Compute("CONTENT"u8), after.Sha256);
    }

    [NeedsFact(Need.Native)]
    public async Task File_with_a_restored_time_is_known_to_have_changed()
    {
        LocalFileStore store = Open();
        StoredFile before = await store.PutAsync("a", "content");
        DateTime time = File.GetLastWriteTimeUtc(Folder["a"]);
        File.WriteAllText(Folder["a"], "CONTENT");
        File.SetLastWriteTimeUtc(Folder["a"], time);
        StoredFile after = (await store.FindAsync("a", DigestNeed.Always))!;
        Assert.Equal(before.Modified, after.Modified);
        Assert.NotEqual(before.Tag, after.Tag);
        Assert.Equal(Sha256Digest.Compute("CONTENT"u8), after.Sha256);
    }

    [Theory, EveryStore]
    public async Task No_tag_stands_for_two_contents_however_fast_they_change(bool portable)
    {
        LocalFileStore store = Open(portable);
        var contents = new Dictionary<EntityTag, string>();
        for (int i = 100; i < 160; i++)
        {
            // In place and by hand, at once after the last look: the same length, and often the same tick of the clock.
            string content = $"{i}";
            File.WriteAllText(Folder["a"], content);
            if (i % 2 == 0)
            {
                StoredFile file = (await store.FindAsync("a", DigestNeed.Always))!;
                Assert.Equal(Sha256Digest.Compute(Encoding.UTF8.GetBytes(content)), file.Sha256);
                Assert.True(contents.TryAdd(file.Tag, content));
            }
            else
            {
                StoredFile file = await store.PutAsync("a", content);
                Assert.True(contents.TryAdd(file.Tag, content));
            }
        }
    }

    [Theory, EveryStore]
    public async Task Versions_published_concurrently_have_different_tags(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, Durability = Durability.None });
        var tags = new HashSet<EntityTag>();
        for (int i = 100; i < 300; i++)
        {
            Assert.True(tags.Add((await store.PutAsync("a", $"{i}")).Tag));
        }
    }

    [Theory, EveryStore]
    public async Task A_tag_stays_the_same_while_nobody_changes_the_file(bool portable)
    {
        var options = new LocalFileStoreOptions { Portable = portable };
        File.WriteAllText(Folder["hand"], "content");
        EntityTag put;
        EntityTag hand;
        await using (LocalFileStore store = Open(options))
        {
            put = (await store.PutAsync("put", "content")).Tag;
            hand = (await store.FindAsync("hand"))!.Tag;
        }

        LocalFileStore again = Open(options);
        Assert.Equal(put, (await again.FindAsync("put"))!.Tag);
        Assert.Equal(hand, (await again.FindAsync("hand", DigestNeed.Always))!.Tag);
    }

    [Theory, EveryStore]
    public async Task Reader_fails_when_its_file_is_changed_in_place(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a", "content");
        await using StoredFileReader reader = await store.OpenReadAsync("a".Name(), DigestNeed.IfKnown, default);
        File.WriteAllText(Folder["a"], "CONTENT");
        await reader.GetAsync().FailsAsync(TransferError.Changed);
    }

    [NeedsTheory(Need.Native), InlineData(false), InlineData(true)]
    public async Task Cached_read_fails_when_its_file_was_changed_in_place(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a", "content");
        await using StoredFileReader reader = await store.OpenReadAsync("a".Name(), DigestNeed.IfKnown, default);
        byte[] bytes = new byte[4];
        Assert.True(reader.TryReadCached(new ByteRange(3, 4), bytes));
        Assert.Equal("tent"u8, bytes);
        File.WriteAllText(Folder["a"], "CONTENT");
        TransferException exception = Assert.Throws<TransferException>(() => reader.TryReadCached(new ByteRange(3, 4), bytes));
        Assert.Equal(TransferError.Changed, exception.Error);
    }

    [Theory, EveryStore]
    public async Task Records_of_missing_files_are_removed(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a", "1");
        await store.PutAsync("b", "2");
        await store.PutAsync("c", "3");
        await store.DeleteAsync("b".Name(), default, default);
        Assert.False(File.Exists(store.Core.Digests.PathOf("b".Name())));

        // An open store looks by itself, too.
        await store.DisposeAsync();
        File.Delete(Folder["a"]);
        Assert.Equal(1, store.Core.Digests.Sweep(name => File.Exists(Folder[name.Value]), default));
        Assert.True(File.Exists(store.Core.Digests.PathOf("c".Name())));
    }

    [Theory, EveryStore]
    public async Task Record_that_is_being_written_is_not_removed(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a", "1");

        // An open store looks by itself, too.
        await store.DisposeAsync();
        string path = store.Core.Digests.PathOf("a".Name());
        File.WriteAllBytes(path, []);
        Assert.Equal(0, store.Core.Digests.Sweep(static _ => true, default));
        File.SetLastWriteTimeUtc(path, DateTime.UtcNow - TimeSpan.FromMinutes(2));
        Assert.Equal(1, store.Core.Digests.Sweep(static _ => true, default));
    }

    private static async Task<uint?> ChecksumAsync(LocalFileStore store, string name)
    {
        await using StoredFileReader reader = await store.OpenReadAsync(name.Name(), DigestNeed.IfKnown, default);
        return reader.Crc32;
    }
}
