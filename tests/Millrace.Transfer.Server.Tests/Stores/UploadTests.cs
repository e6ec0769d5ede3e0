using static Millrace.Transfer.Server.Tests.Stores.StoreExtensions;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>An upload goes on where it was, and becomes a file once.</summary>
public sealed class UploadTests : ContractTest
{
    [Theory, EveryStore]
    public async Task An_upload_is_continued_and_published(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus status = await store.StartAsync("a/b", 6);
        Assert.Equal(3, (await store.AppendAsync(status.Id, 0, "abc")).Offset);
        Assert.True((await store.AppendAsync(status.Id, 3, "def")).IsComplete);
        Assert.Null(await store.FindAsync("a/b"));

        StoredFile file = await store.CompleteUploadAsync(status.Id, Sha256Digest.Compute("abcdef"u8), default);
        Assert.Equal(Sha256Digest.Compute("abcdef"u8), file.Sha256);
        Assert.Equal("abcdef", File.ReadAllText(Files.PathOf("a/b")));
        TestedStore.AssertIsPublished(file, await store.FindAsync("a/b"));
        Assert.Equal(0, (store as LocalFileStore)?.Core.Work.Computed ?? 0);
    }

    [Theory, EveryStore]
    [NeedsLocalFolder]
    public async Task Start_options_are_reported_by_the_next_process(bool portable)
    {
        var options = new LocalFileStoreOptions { Portable = portable };
        var start = new StartUploadOptions
        {
            Name = "ä b".Name(),
            Length = 1,
            Precondition = new WritePrecondition { Match = [new EntityTag("t")], UnmodifiedSince = DateTimeOffset.UnixEpoch },
            Metadata = "filename eA==",
            Expected = Sha256Digest.Compute("x"u8),
            Owner = "other",
        };
        UploadId id;
        await using (Open(options, out IFileStore store))
        {
            File.WriteAllText(Files.PathOf("ä b"), "");
            File.SetLastWriteTimeUtc(Files.PathOf("ä b"), DateTime.UnixEpoch);
            start = start with
            {
                Precondition = start.Precondition with { Match = [(await store.FindAsync("ä b"))!.Tag] },
            };
            id = (await store.StartUploadAsync(start, default)).Id;
        }

        IFileStore again = Open(options);
        UploadStatus status = (await again.FindUploadAsync(id, takeOver: false, default))!;
        Assert.Equal(start.Name, status.Name);
        Assert.Equal(start.Length, status.Length);
        Assert.Equal(start.Precondition.Match, status.Precondition.Match);
        Assert.Equal(start.Precondition.UnmodifiedSince, status.Precondition.UnmodifiedSince);
        Assert.Equal(start.Metadata, status.Metadata);
        Assert.Equal(start.Expected, status.Expected);
        Assert.Equal(start.Owner, status.Owner);
    }

    [Theory, EveryStore]
    public async Task Wrong_offset_is_refused_with_the_right_one(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus status = await store.StartAsync("a", 6);
        await store.AppendAsync(status.Id, 0, "abc");
        TransferException exception =
            await Assert.ThrowsAsync<TransferException>(() => store.AppendAsync(status.Id, 2, "c"));
        Assert.Equal(TransferError.OffsetMismatch, exception.Error);
        Assert.Equal(3, exception.Offset);
    }

    [Theory, EveryStore]
    public async Task Bytes_in_the_file_survive_a_cut_connection(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus status = await store.StartAsync("a", 6);
        await using (UploadWriter writer = await store.AppendUploadAsync(status.Id, 0, discardable: false, default))
        {
            await writer.Output.WriteAsync("abc"u8.ToArray());
        }

        Assert.Equal(3, (await store.FindUploadAsync(status.Id, takeOver: true, default))!.Offset);
        await store.AppendAsync(status.Id, 3, "def");
        Assert.Equal(
            Sha256Digest.Compute("abcdef"u8), (await store.CompleteUploadAsync(status.Id, null, default)).Sha256);
    }

    [Theory, EveryStore]
    public async Task Next_request_takes_over_at_once(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus status = await store.StartAsync("a", 6);
        UploadWriter first = await store.AppendUploadAsync(status.Id, 0, discardable: false, default);
        await first.Output.WriteAsync("abc"u8.ToArray());
        await using StoredUpload next = await store.OpenUploadAsync(status.Id, default);
        Task<UploadWriter> second = next.AppendAsync(3, discardable: false, default).AsTask();
        Assert.True(first.Superseded.IsCancellationRequested);
        Assert.False(second.IsCompleted);

        await first.DisposeAsync();
        await using UploadWriter writer = await second.Soon();
        Assert.Equal(3, writer.Offset);
        Assert.False(writer.Superseded.IsCancellationRequested);
    }

    [Theory, EveryStore]
    public async Task Completing_again_returns_the_same_file(bool portable)
    {
        var options = new LocalFileStoreOptions { Portable = portable };
        UploadId id;
        StoredFile file;
        await using (Open(options, out IFileStore store))
        {
            id = (await store.StartAsync("a", 3, createNew: true)).Id;
            await store.AppendAsync(id, 0, "abc");
            file = await store.CompleteUploadAsync(id, null, default);
            Assert.Equal(file, await store.CompleteUploadAsync(id, null, default));
        }

        IFileStore again = Open(options);
        Assert.Equal(file, await again.CompleteUploadAsync(id, null, default));
        UploadStatus status = (await again.FindUploadAsync(id, takeOver: true, default))!;
        Assert.True(status.IsComplete);
        Assert.Equal(file, status.Published);
    }

    [Theory, EveryStore]
    public async Task Complete_upload_cannot_be_continued(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus status = await store.StartAsync("a", 3);
        await store.AppendAsync(status.Id, 0, "abc");
        await store.AppendAsync(status.Id, 3, "d").FailsAsync(TransferError.UploadComplete);
        await store.CompleteUploadAsync(status.Id, null, default);
        await store.AppendAsync(status.Id, 3, "d").FailsAsync(TransferError.UploadComplete);
    }

    [Theory, EveryStore]
    public async Task An_unfinished_upload_is_not_published(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus status = await store.StartAsync("a", 4);
        await store.AppendAsync(status.Id, 0, "abc");
        await store.CompleteUploadAsync(status.Id, null, default).FailsAsync(TransferError.InvalidRequest);
        Assert.Empty(Files.VisibleNames());
    }

    [Theory, EveryStore]
    public async Task Upload_with_a_wrong_digest_is_deleted(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus status = await store.StartAsync("a", 3);
        await store.AppendAsync(status.Id, 0, "abc");
        await store.CompleteUploadAsync(status.Id, Sha256Digest.Compute("x"u8), default).FailsAsync(TransferError.DigestMismatch);
        Assert.Null(await store.FindUploadAsync(status.Id, takeOver: true, default));
        Assert.Empty(Files.VisibleNames());
    }

    [Theory, EveryStore]
    public async Task Upload_whose_name_was_taken_meanwhile_stays_until_the_name_is_free(bool portable)
    {
        IFileStore store = Open(portable);
        var start = new StartUploadOptions
        {
            Name = "a".Name(),
            Length = 3,
            Precondition = new WritePrecondition { CreateNew = true },
        };
        UploadStatus status = await store.StartUploadAsync(start, default);
        await store.AppendAsync(status.Id, 0, "abc");
        await store.PutAsync("a", "first");
        await store.CompleteUploadAsync(status.Id, null, default).FailsAsync(TransferError.AlreadyExists);
        await store.DeleteAsync("a".Name(), default, default);
        await store.CompleteUploadAsync(status.Id, null, default);
        Assert.Equal("abc", await store.GetAsync("a"));
    }

    [Theory, EveryStore]
    public async Task Bytes_with_a_wrong_checksum_are_removed(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus status = await store.StartAsync("a", 3_000_003);
        await store.AppendAsync(status.Id, 0, "abc", discardable: true);
        await using (UploadWriter writer = await store.AppendUploadAsync(status.Id, 3, discardable: true, default))
        {
            await writer.Output.WriteAsync(new byte[2_000_000]);
            await writer.DiscardAsync();
        }

        Assert.Equal(3, (await store.FindUploadAsync(status.Id, takeOver: true, default))!.Offset);
        string rest = new('x', 3_000_000);
        await store.AppendAsync(status.Id, 3, rest, discardable: true);
        Assert.Equal(
            Sha256Digest.Compute(Encoding.UTF8.GetBytes("abc" + rest)),
            (await store.CompleteUploadAsync(status.Id, null, default)).Sha256);
    }

    [Theory, EveryStore]
    public async Task Deferred_length_can_be_set_once(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus status = await store.StartAsync("a", null);
        await store.AppendAsync(status.Id, 0, "abc");
        await store.SetUploadLengthAsync(status.Id, 2, default).FailsAsync(TransferError.InvalidRequest);
        Assert.True((await store.SetUploadLengthAsync(status.Id, 3, default)).IsComplete);
        Assert.True((await store.SetUploadLengthAsync(status.Id, 3, default)).IsComplete);
        await store.SetUploadLengthAsync(status.Id, 4, default).FailsAsync(TransferError.InvalidRequest);
    }

    [Theory, EveryStore]
    public async Task Parts_are_joined_in_order(bool portable)
    {
        IFileStore store = Open(portable);
        var content = new StringBuilder();
        var parts = new List<UploadId>();
        for (int i = 0; i < 3; i++)
        {
            string part = new((char)('a' + i), 700_001);
            content.Append(part);
            UploadStatus status = await store.StartAsync(null, part.Length);
            await store.AppendAsync(status.Id, 0, part);
            parts.Add(status.Id);
        }

        UploadStatus whole = await store.JoinUploadsAsync(new StartUploadOptions { Name = "a".Name() }, parts, default);
        Assert.True(whole.IsComplete);
        Assert.Equal(parts, whole.Parts);
        StoredFile file = await store.CompleteUploadAsync(whole.Id, null, default);
        Assert.Equal(Sha256Digest.Compute(Encoding.UTF8.GetBytes(content.ToString())), file.Sha256);
    }

    [Theory, EveryStore]
    public async Task Only_finished_parts_are_joined(bool portable)
    {
        IFileStore store = Open(portable);
        var name = new StartUploadOptions { Name = "a".Name() };
        UploadStatus part = await store.StartAsync(null, 3);
        await store.JoinUploadsAsync(name, [part.Id], default).FailsAsync(TransferError.InvalidRequest);
        UploadStatus named = await store.StartAsync("b", 0);
        await store.JoinUploadsAsync(name, [named.Id], default).FailsAsync(TransferError.InvalidRequest);
        await store.JoinUploadsAsync(name, [UploadId.Next()], default).FailsAsync(TransferError.NotFound);
        await store.CompleteUploadAsync(part.Id, null, default).FailsAsync(TransferError.InvalidRequest);
    }

    [Theory, EveryStore]
    public async Task Deleted_upload_leaves_no_bytes(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus status = await store.StartAsync("a", 3);
        await store.AppendAsync(status.Id, 0, "ab");
        Assert.True(await store.AbortUploadAsync(status.Id, default));
        Assert.False(await store.AbortUploadAsync(status.Id, default));
        await store.AppendAsync(status.Id, 2, "c").FailsAsync(TransferError.NotFound);
        Assert.Equal(0, Files.CountUploads());
    }

    [NeedsFact(Need.Mount)]
    [NeedsLocalFolder]
    public async Task Upload_is_published_to_another_file_system()
    {
        using var disk = MountedDisk.InMemory(4 * 1024 * 1024, Files.PathOf("disk"));
        foreach (bool portable in new[] { false, true })
        {
            await using IAsyncDisposable closing = Open(new LocalFileStoreOptions { Portable = portable }, out IFileStore store);
            UploadStatus status = await store.StartAsync("disk/a", 3);
            await store.AppendAsync(status.Id, 0, "abc");
            StoredFile file = await store.CompleteUploadAsync(status.Id, null, default);
            Assert.Equal(file, await store.FindAsync("disk/a"));
            Assert.Equal(file, await store.CompleteUploadAsync(status.Id, null, default));
            Assert.Equal(["a"], Directory.GetFiles(disk.Path).Select(Path.GetFileName));
        }
    }

    [NeedsFact(Need.Mount)]
    [NeedsLocalFolder]
    public async Task Name_that_something_is_mounted_on_is_refused()
    {
        string mounted = Files.PathOf("a");
        await File.WriteAllTextAsync(mounted, "old");
        await File.WriteAllTextAsync(Files.PathOf("b"), "b");
        Shell.Run("mount", "--bind", mounted, mounted);
        try
        {
            foreach (bool portable in new[] { false, true })
            {
                await using IAsyncDisposable closing = Open(new LocalFileStoreOptions { Portable = portable }, out IFileStore store);
                UploadStatus status = await store.StartAsync("a", 3);
                await store.AppendAsync(status.Id, 0, "new");
                foreach (Func<Task> change in (Func<Task>[])[
                    () => store.PutAsync("a", "new"),
                    () => store.CompleteUploadAsync(status.Id, null, default).AsTask(),
                    () => store.DeleteAsync("a".Name(), default, default).AsTask(),
                    () => store.MoveAsync("b", "a", new MoveOptions { Replace = true }).AsTask()])
                {
                    TransferException refused = await Assert.ThrowsAsync<TransferException>(change);
                    Assert.Equal((TransferError.InvalidRequest, 409), (refused.Error, refused.Status));
                    Assert.Contains("something is mounted on the name; write inside the mount, or beside it", refused.Message, StringComparison.Ordinal);
                }

                Assert.Equal("old", await store.GetAsync("a"));
            }

            // The framework alone copies files that it cannot link.
            await using var native = new LocalFileStore(Files.Root);
            await native.MoveAsync("a", "c").FailsAsync(TransferError.InvalidRequest);
        }
        finally
        {
            Shell.Run("umount", mounted);
        }
    }

    [Theory, EveryStore]
    [NeedsLocalFolder]
    public async Task Abandoned_upload_expires(bool portable)
    {
        var clock = new ManualClock();
        var options = new LocalFileStoreOptions { Portable = portable, TimeProvider = clock, UploadLifetime = TimeSpan.FromHours(2) };
        UploadStatus old;
        UploadStatus continued;
        await using (Open(options, out IFileStore store))
        {
            old = await store.StartAsync("a", 3);
            await store.AppendAsync(old.Id, 0, "a");
            continued = await store.StartAsync("b", 3);
            await store.AppendAsync(continued.Id, 0, "a");
            clock.Advance(TimeSpan.FromHours(1.5));
            await store.AppendAsync(continued.Id, 1, "b");
        }

        IFileStore again = Open(options);
        clock.Advance(TimeSpan.FromHours(1));
        Assert.Null(await again.FindUploadAsync(old.Id, takeOver: true, default));
        await ((LocalFileStore)again).ExpiresAsync(1);
        Assert.Equal(1, Files.CountUploads());
        Assert.Equal(2, (await again.FindUploadAsync(continued.Id, takeOver: true, default))!.Offset);
    }
}
