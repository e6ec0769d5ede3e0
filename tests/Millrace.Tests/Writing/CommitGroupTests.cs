using System.Buffers;
using System.Collections.Concurrent;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;
using Millrace.Writing;

namespace Millrace.Tests.Writing;

/// <summary>Small files that are committed at the same time share a wait for the device.</summary>
public sealed class CommitGroupTests : IDisposable
{
    private const int Count = 40;

    private readonly TemporaryFolder _folder = new();
    private readonly ManualResetEventSlim _release = new();
    private readonly List<StagedFile> _files = [];
    private int _shared;

    public void Dispose()
    {
        _release.Set();
        _files.ForEach(static file => file.Dispose());
        _folder.Dispose();
        _release.Dispose();
    }

    [NeedsFact(Need.Native)]
    public async Task Files_that_wait_share_one_flush_and_have_no_name_before_it()
    {
        int seen = -1;
        var group = new CommitGroup(_ => true, Flush, maxAlone: 1);
        int Flush(SafeFileHandle file)
        {
            seen = Published().Count(static published => published);
            return Shared();
        }

        Task first = group.CommitAsync(Work("first", held: true));
        Task[] others = Begin(group);
        Assert.Equal(Count, group.Waiting);
        _release.Set();
        await first.Soon();
        await Task.WhenAll(others).Soon();
        Assert.Equal(1, _shared);
        Assert.Equal(0, seen);
        Assert.All(Published(), Assert.True);
    }

    [NeedsFact(Need.Native)]
    public async Task The_file_that_was_opened_first_is_asked()
    {
        var asked = new List<SafeFileHandle>();
        var group = new CommitGroup(
            _ => true,
            file =>
            {
                asked.Add(file);
                return 0;
            },
            maxAlone: 1);
        Task first = group.CommitAsync(Work("first", held: true));
        CommitWork[] works = [.. Enumerable.Range(0, Count).Select(i => Work($"{i}"))];
        Array.Reverse(works);
        Task[] all = [first, .. works.Select(group.CommitAsync)];
        _release.Set();
        await Task.WhenAll(all).Soon();
        Assert.Equal([works[^1].File.Handle], asked);
    }

    /// <summary>The system reports bytes that are lost once to each handle: a file that has learned of them cannot be asked about those of others.</summary>
    [NeedsFact(Need.Native)]
    public async Task A_file_that_was_told_of_a_failure_is_flushed_by_itself_from_then_on()
    {
        if (!FileSystemSync.IsReliable(Work("there").File.Handle))
        {
            return;
        }

        var group = new CommitGroup(_ => true, _ => Shared(Errno.InputOutput), maxAlone: 1);
        CommitWork[] works = [Work("first", held: true), .. Enumerable.Range(0, Count).Select(i => Work($"{i}"))];
        Task[] all = [.. works.Select(group.CommitAsync)];
        _release.Set();
        await Task.WhenAll(all).Soon();
        Assert.Equal(1, _shared);
        Assert.Null(CommitGroup.Find(works[1].File));
        Assert.NotNull(CommitGroup.Find(works[2].File));
    }

    [NeedsTheory(Need.Native)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Files_in_several_folders_are_durable_under_their_names(bool fails)
    {
        var flushed = new ConcurrentBag<string>();
        var group = new CommitGroup(_ => true, _ => Shared(), maxAlone: 1);
        Task first = group.CommitAsync(Work("first", held: true));
        var others = new List<Task>();
        for (int i = 0; i < Count; i++)
        {
            string folder = $"folder{i % 10}";
            Directory.CreateDirectory(_folder[folder]);
            int number = i;
            others.Add(group.CommitAsync(Work($"{folder}/{i}", flushesFolder: () =>
            {
                flushed.Add(folder);
                return fails && number == 3 ? new FilePipeException(FilePipeError.WriteFailed, "lost", folder, 0) : null;
            })));
        }

        _release.Set();
        await first.Soon();
        Task all = Task.WhenAll(others).Soon();
        if (fails)
        {
            await Assert.ThrowsAsync<FilePipeException>(() => all);
        }
        else
        {
            await all;
        }

        // One that failed counts for its file only.
        Assert.Equal([.. Enumerable.Range(0, Count).Select(i => !(fails && i == 3))], others.Select(static one => one.IsCompletedSuccessfully));
        Assert.Equal(
            Enumerable.Range(0, 10).Select(i => ($"folder{i}", fails && i == 3 ? 2 : 1)),
            flushed.GroupBy(static folder => folder).Select(static folder => (folder.Key, folder.Count())).OrderBy(static folder => folder.Key, StringComparer.Ordinal));
    }

    [NeedsFact(Need.Native)]
    public async Task A_file_that_was_closed_ends_its_turn()
    {
        var group = new CommitGroup(_ => true, _ => Shared(), maxAlone: 1);
        CommitWork closed = Work("closed");
        closed.File.Dispose();
        await Assert.ThrowsAnyAsync<Exception>(() => group.CommitAsync(closed).Soon());
        await group.CommitAsync(Work("next")).Soon();
        Assert.True(File.Exists(_folder["next"]));
    }

    [NeedsTheory(Need.Native)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Files_are_flushed_one_by_one_where_that_fails_or_takes_longer(bool isTried)
    {
        var group = new CommitGroup(_ => isTried, _ => Shared(Errno.InputOutput), maxAlone: 1);
        Task first = group.CommitAsync(Work("first", held: true));
        Task[] others = Begin(group, i => i == 7 ? new FilePipeException(FilePipeError.WriteFailed, "lost", "7", 0) : null);
        _release.Set();
        await first.Soon();
        FilePipeException lost = await Assert.ThrowsAsync<FilePipeException>(() => Task.WhenAll(others).Soon());
        Assert.Equal("lost", lost.Message);
        Assert.Equal(isTried ? 1 : 0, _shared);
        Assert.Equal(Enumerable.Range(0, Count).Select(static i => i != 7), Published());
    }

    [NeedsFact(Need.Native)]
    public async Task A_canceled_file_gets_no_name_and_holds_up_no_other()
    {
        using var stop = new CancellationTokenSource();
        var group = new CommitGroup(_ => true, _ => Shared(), maxAlone: 1);
        Task first = group.CommitAsync(Work("first", held: true));
        Task canceled = group.CommitAsync(Work("canceled", stop: stop.Token));
        Task[] others = Begin(group);
        await stop.CancelAsync();
        _release.Set();
        await first.Soon();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => canceled.Soon());
        await Task.WhenAll(others).Soon();
        Assert.False(File.Exists(_folder["canceled"]));
        Assert.All(Published(), Assert.True);
    }

    [NeedsFact(Need.Native)]
    public async Task Few_files_are_flushed_each_by_itself()
    {
        var group = new CommitGroup(_ => true, _ => Shared(), maxAlone: 1);
        Task first = group.CommitAsync(Work("first", held: true));
        Task[] others = [.. Enumerable.Range(0, CommitGroup.MinShared - 1).Select(i => group.CommitAsync(Work($"{i}")))];
        _release.Set();
        await Task.WhenAll([first, .. others]).Soon();
        Assert.Equal(0, _shared);
    }

    [NeedsFact(Need.Native)]
    public async Task More_files_than_one_group_takes_are_all_committed()
    {
        const int Files = CommitGroup.MaxShared + 50;
        var group = new CommitGroup(_ => true, _ => Shared(), maxAlone: 1);
        Task first = group.CommitAsync(Work("first", held: true));
        Task[] others = [.. Enumerable.Range(0, Files).Select(i => group.CommitAsync(Work($"{i}")))];
        _release.Set();
        await Task.WhenAll([first, .. others]).Soon();
        Assert.Equal(2, _shared);
        Assert.Equal(0, group.Waiting);
    }

    [NeedsFact(Need.Native)]
    public async Task Many_writers_commit_at_once()
    {
        Directory.CreateDirectory(_folder["other"]);
        StagedFile other = Work("other/file").File;
        Assert.Equal(FileSystemSync.IsReliable(other.Handle), CommitGroup.Find(other) is not null);
        FilePipeWriter[] writers = [.. Enumerable.Range(0, 300).Select(i => FilePipe.Create(
            _folder[$"{i}"], new FileWriteOptions { ComputeSha256 = true, CreateNew = true }))];
        await Task.WhenAll(writers.Select(async (writer, i) =>
        {
            writer.Write<byte>([(byte)i, 1, 2]);
            if (i == 5)
            {
                File.WriteAllText(writer.TargetPath, "taken");
            }

            if (i != 5)
            {
                CommitResult result = await writer.CommitAsync();
                Assert.Equal(3, result.Length);
                Assert.Equal(32, result.Sha256.Length);
            }
            else
            {
                Assert.Equal(FilePipeError.NameTaken, (await Assert.ThrowsAsync<FilePipeException>(async () => await writer.CommitAsync())).Error);
                await writer.DisposeAsync();
            }
        })).Soon();
        Assert.Equal(300, Directory.GetFiles(_folder.Path).Length);
        Assert.All(Enumerable.Range(0, 300), i => Assert.Equal(i == 5 ? "taken"u8.ToArray() : [(byte)i, 1, 2], File.ReadAllBytes(_folder[$"{i}"])));
    }

    private Task[] Begin(CommitGroup group, Func<int, Exception?>? failure = null) =>
        [.. Enumerable.Range(0, Count).Select(i => group.CommitAsync(Work($"{i}", failure: failure?.Invoke(i))))];

    private IEnumerable<bool> Published() => Enumerable.Range(0, Count).Select(i => File.Exists(_folder[$"{i}"]));

    private int Shared(int error = 0)
    {
        _shared++;
        return error;
    }

    private CommitWork Work(
        string name, bool held = false, Exception? failure = null, Func<Exception?>? flushesFolder = null, CancellationToken stop = default)
    {
        StagedFile file = StagedFile.Create(_folder[name], createNew: false, mode: null, native: true);
        _files.Add(file);
        return new CommitWork(held || failure is not null || flushesFolder is not null ? new SlowFile(file, held ? _release : null, failure, flushesFolder) : file, stop);
    }

    /// <summary>A file whose flush waits, or fails, or that of its folder.</summary>
    private sealed class SlowFile(StagedFile file, ManualResetEventSlim? release, Exception? failure, Func<Exception?>? flushesFolder) : StagedFile(file.Path, file.Target, keeps: false)
    {
        public override bool Native => true;

        public override void Reserve(long bytes) => file.Reserve(bytes);

        public override void SetLength(long bytes) => file.SetLength(bytes);

        public override void BeginFlush() => file.BeginFlush();

        public override (uint Major, uint Minor, ulong Inode)? FolderIdentity => flushesFolder is null ? null : file.FolderIdentity;

        public override void FlushFolder()
        {
            if (flushesFolder?.Invoke() is { } error)
            {
                throw error;
            }

            file.FlushFolder();
        }

        public override void Flush()
        {
            Assert.True(release?.Wait(Bounded.Patience) ?? true);
            if (failure is not null)
            {
                throw failure;
            }

            file.Flush();
        }

        private protected override void WriteOnce(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, long offset) => file.Write(first, second, offset);

        private protected override void Rename() => file.Publish(durable: false);

        private protected override void Close(bool remove) => file.Dispose();
    }
}
