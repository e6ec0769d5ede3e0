using Microsoft.Extensions.Logging;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>A scrub reports files whose bytes are not those of their version, and no others.</summary>
public sealed class ScrubTests : StoreTest
{
    [Theory, EveryStore]
    public async Task Damaged_file_is_reported_until_it_is_replaced(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("folder/bad", "content");
        await store.PutAsync("good", "content");
        Damage(store, "folder/bad");
        using var log = new CapturedLog(LogLevel.Error);
        await using var scrub = new StoreScrub(store, new ScrubOptions { Logger = log });
        ScrubStatus status = await scrub.RunAsync();

        DamagedFile damaged = Assert.Single(status.Damaged);
        Assert.Equal(
            ("folder/bad", 7, Sha256Digest.Compute("other"u8).ToString(), Sha256Digest.Compute("content"u8).ToString()),
            (damaged.Name, damaged.Length, damaged.Sha256, damaged.FoundSha256));
        Assert.Equal((2, 0), (status.Files, status.Skipped));
        Assert.NotNull(status.Completed);
        Assert.Contains("folder/bad is damaged", Assert.Single(log.Lines), StringComparison.Ordinal);
        Assert.Equal("folder/bad", Assert.Single((await StoreScrub.ReadStatusAsync(Folder.Path)).Damaged).Name);

        await store.PutAsync("folder/bad", "content");
        Assert.Empty((await scrub.RunAsync()).Damaged);
        Assert.Empty((await StoreScrub.ReadStatusAsync(store)).Damaged);
    }

    [Theory, EveryStore]
    public async Task Damage_of_a_deleted_file_is_forgotten(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("bad", "content");
        Damage(store, "bad");
        await using var scrub = new StoreScrub(store);
        Assert.Single((await scrub.RunAsync()).Damaged);
        await store.DeleteAsync("bad".Name(), default, default);
        Assert.Empty((await scrub.RunAsync()).Damaged);
    }

    [Theory, EveryStore]
    public async Task Files_that_were_placed_or_changed_by_hand_get_a_digest(bool portable)
    {
        LocalFileStore store = Open(portable);
        await File.WriteAllTextAsync(Folder["placed"], "content");
        await store.PutAsync("changed", "before");
        await File.WriteAllTextAsync(Folder["changed"], "after");
        await using var scrub = new StoreScrub(store);
        ScrubStatus status = await scrub.RunAsync();

        Assert.Equal((2, 0, 0), (status.Files, status.Skipped, status.Damaged.Count));
        Assert.Equal(Sha256Digest.Compute("content"u8), (await store.FindAsync("placed"))!.Sha256);
        Assert.Equal(Sha256Digest.Compute("after"u8), (await store.FindAsync("changed"))!.Sha256);
    }

    [Theory, EveryStore]
    public async Task File_that_is_replaced_while_it_is_read_is_not_damaged(bool portable)
    {
        LocalFileStore store = Open(portable);
        string content = new('a', 3_000_000);
        await store.PutAsync("file", content);
        Damage(store, "file");
        bool isReplaced = false;
        var progress = new Reaction(status =>
        {
            if (status.Bytes > 0 && !isReplaced)
            {
                isReplaced = true;
                Task.Run(() => store.PutAsync("file", "new")).GetAwaiter().GetResult();
            }
        });
        await using var scrub = new StoreScrub(store, new ScrubOptions { Progress = progress });
        ScrubStatus status = await scrub.RunAsync();

        Assert.True(isReplaced);
        Assert.Equal((1, 0, 0), (status.Files, status.Skipped, status.Damaged.Count));
        Assert.Equal("new", await store.GetAsync("file"));
    }

    [NeedsTheory(Need.Linux), EveryStore]
    public async Task File_that_is_written_to_while_it_is_read_is_not_damaged(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("file", new string('a', 3_000_000));
        bool isWritten = false;
        var progress = new Reaction(status =>
        {
            if (status.Bytes > 0 && !isWritten)
            {
                isWritten = true;
                using FileStream file = File.OpenWrite(Folder["file"]);
                file.Seek(-1, SeekOrigin.End);
                file.WriteByte((byte)'b');
            }
        });
        await using var scrub = new StoreScrub(store, new ScrubOptions { Progress = progress });
        Assert.Empty((await scrub.RunAsync()).Damaged);
        Assert.True(isWritten);
    }

    [Theory, EveryStore]
    public async Task Hidden_files_are_read_and_the_trash_and_uploads_are_not(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, TrashLifetime = TimeSpan.FromDays(1) });
        await store.PutAsync("deleted", "content");
        await store.DeleteAsync("deleted".Name(), default, default);
        UploadStatus upload = await store.StartAsync("pending", 100);
        await store.AppendAsync(upload.Id, 0, "some");
        await store.PutAsync(".hidden", "four");
        IFileStore shown = store.Hiding([".*"]);
        await using var scrub = new StoreScrub(shown);
        ScrubStatus status = await scrub.RunAsync();

        Assert.Equal((1, 4), (status.Files, status.Bytes));
    }

    [Fact]
    public async Task Background_goes_on_after_the_last_name_that_was_read()
    {
        await using (LocalFileStore store = Open())
        {
            foreach (string name in (string[])["a", "b", "c", "d"])
            {
                await store.PutAsync(name, "content");
                Damage(store, name);
            }

            byte[] interrupted = new ScrubState { Started = DateTimeOffset.UtcNow, After = "b", Files = 2, Bytes = 14, TotalFiles = 4, TotalBytes = 28 }.ToBytes();
            Assert.NotNull(await store.Documents!.TryWriteAsync(ScrubState.Key, interrupted, null, isDurable: false, default));
        }

        LocalFileStore again = Open();
        await using var scrub = new StoreScrub(again);
        scrub.Start();
        await Bounded.UntilAsync(() => scrub.Status.Completed is not null);

        Assert.Equal(["c", "d"], scrub.Status.Damaged.Select(static file => file.Name));
        Assert.Equal((4, 28, null), (scrub.Status.Files, scrub.Status.Bytes, scrub.Status.Started));
    }

    [Fact]
    public async Task Background_notes_where_it_was_stopped()
    {
        LocalFileStore store = Open();
        foreach (string name in (string[])["a", "b", "c"])
        {
            // At the lowest rate, each takes 12 seconds.
            await store.PutAsync(name, new string('x', 3 * 1024 * 1024));
        }

        await using (var scrub = new StoreScrub(store))
        {
            scrub.Start();
            Assert.Throws<InvalidOperationException>(scrub.Start);
            await Bounded.UntilAsync(() => scrub.Status.Started is not null);
        }

        ScrubStatus status = await StoreScrub.ReadStatusAsync(store);
        Assert.NotNull(status.Started);
        Assert.Equal(9 * 1024 * 1024, status.TotalBytes);
        Assert.InRange(status.Files, 0, 2);
    }

    [Fact]
    public async Task State_that_cannot_be_read_begins_anew()
    {
        LocalFileStore store = Open();
        await store.PutAsync("a", "content");
        Assert.NotNull(await store.Documents!.TryWriteAsync(ScrubState.Key, "no JSON"u8.ToArray(), null, isDurable: false, default));
        await using var scrub = new StoreScrub(store);
        Assert.Equal(1, (await scrub.RunAsync()).Files);
    }

    [Fact]
    public async Task Rate_spreads_the_rest_over_the_rest_of_the_period()
    {
        var clock = new ManualClock();
        LocalFileStore store = Open();
        await using var scrub = new StoreScrub(store, new ScrubOptions { Period = TimeSpan.FromDays(10), TimeProvider = clock });
        const long Day = 24 * 3600;
        var state = new ScrubState { Started = clock.Now, TotalBytes = 10 * Day * 1_000_000 };
        Assert.Equal(1_000_000, scrub.RateOf(state), 1.0);

        state.Bytes = 5 * Day * 1_000_000;
        Assert.Equal(500_000, scrub.RateOf(state), 1.0);
        clock.Advance(TimeSpan.FromDays(5));
        Assert.Equal(1_000_000, scrub.RateOf(state), 1.0);

        // Late: a quarter of the period is left for the rest, not less.
        clock.Advance(TimeSpan.FromDays(100));
        Assert.Equal(2_000_000, scrub.RateOf(state), 1.0);

        // Between 256 KiB and 64 MiB per second.
        Assert.Equal(256 * 1024, scrub.RateOf(new ScrubState { Started = clock.Now, TotalBytes = 1 }));
        Assert.Equal(64 * 1024 * 1024, scrub.RateOf(new ScrubState { Started = clock.Now, TotalBytes = long.MaxValue / 2 }));
    }

    [Fact]
    public void Pace_waits_for_what_was_read_and_makes_up_for_nothing()
    {
        var clock = new Ticks();
        var pace = new ScrubPace(clock);
        Assert.Equal(TimeSpan.Zero, pace.Spend(10, 1000));
        Assert.Equal(TimeSpan.FromSeconds(1), pace.Spend(990, 1000));
        clock.Seconds += 100;
        Assert.Equal(TimeSpan.Zero, pace.Spend(0, 1000));
        Assert.Equal(TimeSpan.FromSeconds(2), pace.Spend(2000, 1000));
    }

    /// <summary>Gives a file's version another digest, as if the device had changed the bytes.</summary>
    private static void Damage(LocalFileStore store, string name)
    {
        FileFacts facts = store.Core.Tree.TryLook(name.Name())!.Value;
        Assert.NotNull(store.Core.Digests.TryRead(name.Name(), facts));
        store.Core.Digests.Write(name.Name(), facts, new FileDigest(Sha256Digest.Compute("other"u8), Crc32: null));
    }

    private sealed class Reaction(Action<ScrubStatus> react) : IProgress<ScrubStatus>
    {
        public void Report(ScrubStatus value) => react(value);
    }

    private sealed class Ticks : TimeProvider
    {
        public long Seconds { get; set; }

        public override long TimestampFrequency => 1;

        public override long GetTimestamp() => Seconds;
    }
}
