using System.Buffers;
using System.IO.Hashing;
using System.IO.Pipelines;
using static Millrace.Transfer.Server.Tests.Stores.StoreExtensions;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>The bytes of a small file that is asked for again and again are kept, and are never those of a version that is gone.</summary>
public sealed class KeptFileTests : StoreTest
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly StoppedClock _clock = new();

    public static TheoryData<string> Names => ["a", "folder/sub/a"];

    [NeedsTheory(Need.Native), MemberData(nameof(Names))]
    public async Task File_that_is_asked_for_again_and_again_is_kept_for_a_second(string name)
    {
        LocalFileStore store = await OpenAsync(name, "content");
        Assert.False(await ReadAsync(store, name, "content"));
        Assert.True(await ReadAsync(store, name, "content"));
        _clock.Advance(Second - TimeSpan.FromTicks(1));
        Assert.True(await ReadAsync(store, name, "content"));
        _clock.Advance(TimeSpan.FromTicks(1));
        Assert.False(await ReadAsync(store, name, "content"));
        Assert.True(await ReadAsync(store, name, "content"));

        // Not hot any more: its bytes are not kept at once.
        _clock.Advance(Second);
        Assert.False(await ReadAsync(store, name, "content"));
        Assert.False(await ReadAsync(store, name, "content"));
        Assert.True(await ReadAsync(store, name, "content"));
    }

    [NeedsTheory(Need.Native), MemberData(nameof(Names))]
    public async Task Every_part_of_a_kept_file_is_read_and_no_other(string name)
    {
        LocalFileStore store = await OpenAsync(name, "content");
        await KeepAsync(store, name, "content");
        await using StoredFileReader reader = await store.OpenReadAsync(name.Name(), DigestNeed.Always, default);
        Assert.False(reader.Content.IsEmpty);
        Assert.Equal(Sha256Digest.Compute("content"u8), reader.File.Sha256);
        Assert.Equal(Crc32.HashToUInt32("content"u8), reader.Crc32);
        Assert.Null(reader.FindHandle(new ByteRange(0, 7)));
        for (int from = 0; from <= 7; from++)
        {
            for (int length = 0; length <= 7 - from; length++)
            {
                PipeReader part = reader.Read(new ByteRange(from, length), 2);
                ReadResult read = await part.ReadAsync();
                Assert.True(read.IsCompleted);
                Assert.Equal("content".Substring(from, length), Encoding.UTF8.GetString(read.Buffer.ToArray()));
                await part.CompleteAsync();
            }
        }

        foreach (var outside in new ByteRange[] { new(-1, 1), new(0, 8), new(8, 0), new(7, 1), new(1, long.MaxValue), new(0, -1) })
        {
            Assert.Throws<ArgumentOutOfRangeException>("range", () => reader.Read(outside));
        }
    }

    [NeedsTheory(Need.Native), MemberData(nameof(Names))]
    public async Task New_version_is_read_at_once_whoever_made_it(string name)
    {
        LocalFileStore store = await OpenAsync(name, "0000");
        string path = Folder[name];
        for (int i = 1; i <= 50; i++)
        {
            string before = (i - 1).ToString("D4", null);
            string content = i.ToString("D4", null);
            await KeepAsync(store, name, before);
            switch (i % 5)
            {
                case 0:
                    await store.PutAsync(name, content);
                    break;
                case 1:
                    // In place, with the date of the version before.
                    DateTime date = File.GetLastWriteTimeUtc(path);
                    File.WriteAllText(path, content);
                    File.SetLastWriteTimeUtc(path, date);
                    break;
                case 2:
                    File.WriteAllText(path + ".new", content);
                    File.Move(path + ".new", path, overwrite: true);
                    break;
                case 3:
                    File.Delete(path);
                    await store.GetAsync(name).FailsAsync(TransferError.NotFound);
                    File.WriteAllText(path, content);
                    break;
                default:
                    using (FileStream written = new(path, FileMode.Open, FileAccess.Write))
                    {
                        await written.WriteAsync(Encoding.UTF8.GetBytes(content));
                    }

                    break;
            }

            Assert.False(await ReadAsync(store, name, content));
        }
    }

    [NeedsFact(Need.Links | Need.Native)]
    public async Task Kept_file_is_gone_with_its_folder_and_not_found_through_a_link_that_leads_out()
    {
        const string Name = "folder/sub/a";
        string root = Path.Combine(Folder.Path, "root");
        Directory.CreateDirectory(Path.Combine(root, "folder", "sub"));
        File.WriteAllText(Path.Combine(root, Name), "content");
        LocalFileStore store = Open(new LocalFileStoreOptions { TimeProvider = _clock }, root);
        await KeepAsync(store, Name, "content");
        string folder = Path.Combine(root, "folder");
        Directory.Move(folder, Folder["outside"]);
        await store.GetAsync(Name).FailsAsync(TransferError.NotFound);
        File.CreateSymbolicLink(folder, Folder["outside"]);
        await store.GetAsync(Name).FailsAsync(TransferError.Forbidden);
        File.Delete(folder);
        Directory.Move(Folder["outside"], folder);
        Assert.True(await ReadAsync(store, Name, "content"));
    }

    [NeedsFact(Need.Links | Need.Native)]
    public async Task Link_to_a_kept_file_is_followed_as_ever()
    {
        LocalFileStore store = await OpenAsync("a", "content");
        File.CreateSymbolicLink(Folder["link"], "a");
        for (int i = 0; i < 5; i++)
        {
            _ = await ReadAsync(store, "a", "content");
            Assert.False(await ReadAsync(store, "link", "content"));
        }

        File.WriteAllText(Folder["b"], "another");
        File.Delete(Folder["link"]);
        File.CreateSymbolicLink(Folder["link"], "b");
        Assert.False(await ReadAsync(store, "link", "another"));
    }

    [NeedsFact(Need.Native)]
    public async Task View_of_a_folder_reads_kept_files_in_it()
    {
        LocalFileStore store = await OpenAsync("folder/sub/a", "content");
        await KeepAsync(store, "folder/sub/a", "content");
        Assert.True(await ReadAsync(store.Within("folder".Name()), "folder/sub/a", "content"));
    }

    [NeedsFact(Need.Native)]
    public async Task Kept_bytes_take_a_bounded_part_of_memory()
    {
        const int Bytes = 16 * 1024, Files = 600;
        string content = new('x', Bytes);
        LocalFileStore store = await OpenAsync("0", content);
        for (int i = 0; i < Files; i++)
        {
            File.WriteAllText(Folder[$"{i}"], content);
        }

        for (int i = 0; i < Files; i++)
        {
            await KeepAsync(store, $"{i}", content);
        }

        int kept = Enumerable.Range(0, Files).Count(i => store.Core.Known.FindContent($"{i}".Name()) is not null);
        Assert.InRange(kept, 1, 8 * 1024 * 1024 / Bytes);
    }

    [Fact]
    public async Task Portable_store_opens_the_file_every_time()
    {
        File.WriteAllText(Folder["a"], "content");
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = true, TimeProvider = _clock });
        for (int i = 0; i < 5; i++)
        {
            Assert.False(await ReadAsync(store, "a", "content"));
        }
    }

    private async Task<LocalFileStore> OpenAsync(string name, string content)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Folder[name])!);
        File.WriteAllText(Folder[name], content);
        LocalFileStore store = Open(new LocalFileStoreOptions { TimeProvider = _clock });
        Assert.NotNull((await store.FindAsync(name, DigestNeed.Always))!.Sha256);
        return store;
    }

    /// <summary>Asks for a file until its bytes are kept.</summary>
    private static async Task KeepAsync(IFileStore store, string name, string content) =>
        await Bounded.UntilAsync(async () => await ReadAsync(store, name, content));

    /// <summary>Reads a file as the answer to a request does.</summary>
    /// <returns>Whether its bytes were kept.</returns>
    private static async Task<bool> ReadAsync(IFileStore store, string name, string content)
    {
        await using StoredFileReader reader = await store.OpenReadAsync(name.Name(), DigestNeed.Always, default);
        Assert.Equal(content.Length, reader.File.Length);
        Assert.Equal(Sha256Digest.Compute(Encoding.UTF8.GetBytes(content)), reader.File.Sha256);
        if (!reader.Content.IsEmpty)
        {
            Assert.Equal(content, Encoding.UTF8.GetString(reader.Content.Span));
            return true;
        }

        // Through the page cache, so that it is there.
        Assert.Equal(content, await reader.GetAsync());
        byte[] bytes = new byte[content.Length];
        if (reader.TryReadCached(new ByteRange(0, bytes.Length), bytes))
        {
            Assert.Equal(content, Encoding.UTF8.GetString(bytes));
        }

        return false;
    }

    private sealed class StoppedClock : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => _now;

        public void Advance(TimeSpan by) => _now += by.Ticks;
    }
}
