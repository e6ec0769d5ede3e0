using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Copying;

/// <summary>What happens while a copy is under way: cancellation, changes of the source, damage to the copy.</summary>
public sealed class CopyInterruptionTests : FolderTests
{
    private const int Slice = 16 * 1024 * 1024;

    public static TheoryData<string> WayNames => CopyFiles.WayNames;

    [Theory, MemberData(nameof(WayNames))]
    public async Task Progress_only_grows_and_ends_at_the_total(string ways)
    {
        await WriteSourceAsync();
        var progress = new DoAt(_ => { });

        await CopyFiles
            .CopyAsync(Folder["source"], Folder["copy"], CopyFiles.Options with { Verify = true }, ways, progress)
            .Soon();

        FileCopyProgress[] copying = [.. progress.Seen.Where(value => !value.Verifying)];
        FileCopyProgress[] verifying = [.. progress.Seen.Where(value => value.Verifying)];
        Assert.Equal(progress.Seen, [.. copying, .. verifying]);
        foreach (FileCopyProgress[] part in new[] { copying, verifying })
        {
            Assert.InRange(part.Length, 3, 4);
            Assert.Equal(part.Select(value => value.CopiedBytes).Order().Distinct(), part.Select(value => value.CopiedBytes));
            Assert.All(part, value => Assert.Equal(3 * Slice, value.TotalBytes));
            Assert.Equal(3 * Slice, part[^1].CopiedBytes);
        }
    }

    [Theory, MemberData(nameof(WayNames))]
    public async Task A_canceled_copy_leaves_nothing(string ways)
    {
        await WriteSourceAsync();
        await File.WriteAllTextAsync(Folder["copy"], "old");
        using var cancel = new CancellationTokenSource();
        var progress = new DoAt(_ => cancel.Cancel());

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => CopyFiles
            .CopyAsync(Folder["source"], Folder["copy"], CopyFiles.Options, ways, progress, cancel.Token)
            .Soon());

        Assert.Single(progress.Seen);
        Assert.Equal("old", await File.ReadAllTextAsync(Folder["copy"]));
        Assert.Equal(["copy", "source"], Folder.Names);
    }

    [Fact]
    public async Task A_token_that_was_canceled_before_copies_nothing()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => FilePipe
            .CopyAsync(TestFolder.SharedFile(100), Folder["copy"], cancellationToken: new CancellationToken(true))
            .Soon());

        Assert.Empty(Folder.Names);
    }

    [Fact]
    public async Task A_copy_canceled_while_it_is_verified_leaves_nothing()
    {
        await WriteSourceAsync();
        using var cancel = new CancellationTokenSource();
        var progress = new DoAt(value =>
        {
            if (value.Verifying)
            {
                cancel.Cancel();
            }
        });

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => FilePipe
            .CopyAsync(Folder["source"], Folder["copy"], new FileCopyOptions { Verify = true }, progress, cancel.Token)
            .Soon());

        Assert.Equal(["source"], Folder.Names);
    }

    /// <summary>Windows keeps the name of a file that is removed while a thread still reads it.</summary>
    [NeedsFact(Need.Linux)]
    public async Task A_copy_canceled_while_it_is_verified_is_read_by_nobody_when_it_ends()
    {
        // Read once only, so that nothing is awaited but the reading of the copy.
        Linux.MakeFifo(Folder["fifo"]);
        for (int i = 0; i < 20; i++)
        {
            Task write = Task.Run(async () =>
            {
                await using var fifo = new FileStream(Folder["fifo"], FileMode.Open, FileAccess.Write);
                await fifo.WriteAsync(new byte[Slice + Slice / 2]);
            });
            using var cancel = new CancellationTokenSource();
            var progress = new DoAt(value =>
            {
                if (value.Verifying)
                {
                    cancel.Cancel();
                }
            });

            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => FilePipe
                .CopyAsync(Folder["fifo"], Folder["copy"], CopyFiles.Options with { Verify = true }, progress, cancel.Token)
                .Soon());

            string?[] open = [.. Directory.GetFiles("/proc/self/fd").Select(name => new FileInfo(name).LinkTarget)];
            Assert.DoesNotContain(open, name => name?.StartsWith(Folder.Path, StringComparison.Ordinal) == true && name != Folder["fifo"]);
            await write.Soon();
        }
    }

    [Fact]
    public async Task A_copy_whose_progress_throws_leaves_nothing()
    {
        var progress = new DoAt(_ => throw new InvalidOperationException("The test's failure."));

        await Assert.ThrowsAsync<InvalidOperationException>(
            () => FilePipe.CopyAsync(TestFolder.SharedFile(100), Folder["copy"], CopyFiles.Options, progress).Soon());

        Assert.Empty(Folder.Names);
    }

    [NeedsTheory(Need.Unix), MemberData(nameof(WayNames))]
    public async Task A_source_that_changes_meanwhile_is_reported(string ways)
    {
        (FilePipeError Error, Action<SafeFileHandle> Change)[] changes =
        [
            (FilePipeError.Changed, file => RandomAccess.Write(file, [1, 2, 3], 100)),
            (FilePipeError.Truncated, file => RandomAccess.SetLength(file, 1_000)),
        ];
        foreach ((FilePipeError error, Action<SafeFileHandle> change) in changes)
        {
            await WriteSourceAsync();
            var progress = new DoAt(_ =>
            {
                using SafeFileHandle file = File.OpenHandle(Folder["source"], FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
                change(file);
            });

            FilePipeException exception = await Fails.WithAsync(
                error, () => CopyFiles.CopyAsync(Folder["source"], Folder["copy"], CopyFiles.Options, ways, progress).Soon());

            Assert.Equal(Folder["source"], exception.Path);
            Assert.Equal(["source"], Folder.Names);
        }
    }

    [NeedsTheory(Need.Unix)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public async Task A_copy_that_is_damaged_before_it_is_verified_is_not_published(bool portable, bool longer)
    {
        await WriteSourceAsync();
        await File.WriteAllTextAsync(Folder["copy"], "old");
        var progress = new DoAt(value =>
        {
            if (value is { CopiedBytes: 3 * Slice, Verifying: false })
            {
                string staged = Directory.GetFiles(Folder.Path, ".millrace-*").Single();
                using SafeFileHandle file = File.OpenHandle(staged, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
                RandomAccess.Write(file, [1], longer ? 3 * Slice : Slice);
            }
        });

        FilePipeException exception = await Assert.ThrowsAsync<FilePipeException>(() => FilePipe
            .CopyAsync(Folder["source"], Folder["copy"], new FileCopyOptions { Verify = true, Portable = portable }, progress)
            .Soon());

        Assert.Equal((FilePipeError.NotIdentical, Folder["copy"]), (exception.Error, exception.Path));
        Assert.Equal("old", await File.ReadAllTextAsync(Folder["copy"]));
        Assert.Equal(["copy", "source"], Folder.Names);
    }

    private async Task WriteSourceAsync()
    {
        await using (FileStream source = File.Create(Folder["source"]))
        {
            for (int i = 0; i < 3; i++)
            {
                await source.WriteAsync(TestContent.Of(Slice));
            }
        }

        File.SetLastWriteTimeUtc(Folder["source"], new DateTime(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc));
    }
}
