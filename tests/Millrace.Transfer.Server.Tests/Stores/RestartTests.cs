using System.Diagnostics;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>A store that opens a folder left in the middle of something: a copy of its folder is that of a killed one.</summary>
public sealed class RestartTests : StoreTest
{
    [NeedsTheory(Need.Unix), EveryStore]
    public async Task Unverified_bytes_are_cut_and_the_upload_resumes(bool portable)
    {
        var options = new LocalFileStoreOptions { Portable = portable };
        LocalFileStore store = Open(options);
        UploadId id = (await store.StartAsync("a", 6)).Id;
        await store.AppendAsync(id, 0, "abc", discardable: true);
        await using UploadWriter writer = await store.AppendUploadAsync(id, 3, discardable: true, default);
        await writer.Output.WriteAsync("de"u8.ToArray());
        await writer.Output.FlushAsync();
        Copy(Folder, Killed);

        LocalFileStore again = Open(options, Killed.Path);
        Assert.Equal(3, (await again.FindUploadAsync(id, takeOver: true, default))!.Offset);
        await again.AppendAsync(id, 3, "def");
        Assert.Equal(Sha256Digest.Compute("abcdef"u8), (await again.CompleteUploadAsync(id, null, default)).Sha256);
    }

    [Theory, EveryStore]
    public async Task Upload_renamed_before_the_process_died_is_known_as_published(bool portable)
    {
        var options = new LocalFileStoreOptions { Portable = portable };
        UploadId id;
        StoredFile file;
        await using (LocalFileStore store = Open(options))
        {
            id = (await store.StartAsync("a", 3, createNew: true)).Id;
            await store.AppendAsync(id, 0, "abc");
            file = await store.CompleteUploadAsync(id, null, default);
        }

        // As it is between the rename and the last state.
        string state = Folder[$".millrace/uploads/{id}/state"];
        File.WriteAllText(state, File.ReadAllText(state)
            .Replace("\"IsPublished\":true", "\"IsPublished\":false", StringComparison.Ordinal)
            .Replace(file.Tag.Value, "", StringComparison.Ordinal));

        LocalFileStore again = Open(options);
        StoredFile answered = await again.CompleteUploadAsync(id, null, default);
        Assert.Equal(file, answered);
    }

    [NeedsTheory(Need.Unix), EveryStore]
    public async Task Upload_interrupted_before_its_rename_is_published_by_the_next_process(bool portable)
    {
        var options = new LocalFileStoreOptions { Portable = portable };
        LocalFileStore store = Open(options);
        UploadId id = (await store.StartAsync("a", 3)).Id;
        await store.AppendAsync(id, 0, "abc");
        Copy(Folder, Killed);
        await store.CompleteUploadAsync(id, null, default);

        // The state of after, and the bytes where they were before.
        string state = File.ReadAllText(Folder[$".millrace/uploads/{id}/state"]);
        File.WriteAllText(
            Killed[$".millrace/uploads/{id}/state"],
            state.Replace("\"IsPublished\":true", "\"IsPublished\":false", StringComparison.Ordinal));

        LocalFileStore again = Open(options, Killed.Path);
        Assert.Null((await again.FindUploadAsync(id, takeOver: true, default))!.Published);
        await again.CompleteUploadAsync(id, null, default);
        Assert.Equal("abc", File.ReadAllText(Killed["a"]));
    }

    [NeedsTheory(Need.Unix), EveryStore]
    public async Task Upload_of_a_given_time_is_not_taken_for_an_older_version_of_that_time(bool portable)
    {
        var options = new LocalFileStoreOptions { Portable = portable };
        var time = new FileTime(1_500_000_000, 5_000);
        LocalFileStore store = Open(options);
        await store.PutAsync("a", "old", modified: time);
        UploadId id = (await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = 3, Modified = time }, default)).Id;
        await store.AppendAsync(id, 0, "new");
        Copy(Folder, Killed);
        await store.CompleteUploadAsync(id, null, default);
        string state = File.ReadAllText(Folder[$".millrace/uploads/{id}/state"]);
        File.WriteAllText(
            Killed[$".millrace/uploads/{id}/state"],
            state.Replace("\"IsPublished\":true", "\"IsPublished\":false", StringComparison.Ordinal));
        Shell.Run("touch", "-r", Folder["a"], Killed["a"]);

        LocalFileStore again = Open(options, Killed.Path);
        Assert.Null((await again.FindUploadAsync(id, takeOver: true, default))!.Published);
        StoredFile file = await again.CompleteUploadAsync(id, null, default);
        Assert.Equal("new", File.ReadAllText(Killed["a"]));
        Assert.Equal(portable ? file.Modified : time, file.Modified);
    }

    [NeedsTheory(Need.Unix), EveryStore]
    public async Task Staged_files_of_a_killed_process_are_removed(bool portable)
    {
        var options = new LocalFileStoreOptions { Portable = portable };
        LocalFileStore store = Open(options);
        await using StoredFileWriter writer = await store.CreateAsync("a/b".Name(), default, default);
        await writer.Output.WriteAsync(new byte[1_000_000]);
        await writer.Output.FlushAsync();
        Copy(Folder, Killed);
        Assert.Single(Directory.GetFileSystemEntries(Killed["a"]));

        LocalFileStore again = Open(options, Killed.Path);
        await Bounded.UntilAsync(() => Task.FromResult(Directory.GetFileSystemEntries(Killed["a"]).Length == 0));
    }

    [Theory, EveryStore]
    public async Task Damaged_state_is_ignored_and_removed_when_it_is_old(bool portable)
    {
        var clock = new ManualClock();
        var options = new LocalFileStoreOptions { Portable = portable, TimeProvider = clock };
        UploadId id;
        await using (LocalFileStore store = Open(options))
        {
            id = (await store.StartAsync("a", 3)).Id;
        }

        File.WriteAllText(Folder[$".millrace/uploads/{id}/state"], "{");
        LocalFileStore again = Open(options);
        Assert.Null(await again.FindUploadAsync(id, takeOver: true, default));
        Assert.Equal(0, await again.ExpireUploadsAsync(default));
        clock.Advance(TimeSpan.FromDays(2));
        await again.ExpiresAsync(1);
        Assert.Empty(Directory.GetFileSystemEntries(Folder[".millrace/uploads"]));
    }

    [Fact]
    public async Task Folder_can_be_open_in_one_store_at_a_time()
    {
        await using (Open())
        {
            TransferException exception = Assert.Throws<TransferException>(() => Open());
            Assert.Contains("uses the folder", exception.Message, StringComparison.Ordinal);
        }

        LocalFileStore again = Open();
    }

    [Fact]
    public void Store_without_its_folder_is_refused()
    {
        Assert.Throws<DirectoryNotFoundException>(() => Open(root: Folder["none"]));
    }

    private static void Copy(TemporaryFolder from, TemporaryFolder to)
    {
        using Process copy = Process.Start("cp", ["-a", from.Path + "/.", to.Path]);
        Assert.True(copy.WaitForExit(Bounded.Patience));
        Assert.Equal(0, copy.ExitCode);
    }
}
