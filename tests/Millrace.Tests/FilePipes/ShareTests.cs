using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Tests.FilePipes;

/// <summary>How others may use a file while it is open here, and the other way round.</summary>
public sealed class ShareTests
{
    [Fact]
    public async Task By_default_others_may_read_and_may_not_open_it_exclusively()
    {
        string path = TestFolder.NewFile(1_000);
        await using FilePipeReader reader = FilePipe.OpenRead(path);
        await using FilePipeReader other = FilePipe.OpenRead(path);

        await other.AssertRestAsync(0, 1_000);
        Assert.Throws<IOException>(() => File.OpenHandle(path, access: FileAccess.ReadWrite, share: FileShare.None));
    }

    [Fact]
    public async Task Sharing_with_nobody_keeps_others_out_until_completion()
    {
        string path = TestFolder.NewFile(1_000);
        var alone = new FileReadOptions { Share = FileShare.None };
        FilePipeReader reader = FilePipe.OpenRead(path, alone);

        FilePipeException exception = Fails.With(FilePipeError.Sharing, () => FilePipe.OpenRead(path, alone));
        Assert.Equal(path, exception.Path);
        Assert.Throws<IOException>(() => File.OpenRead(path));

        await reader.CompleteAsync();
        await using FilePipeReader other = FilePipe.OpenRead(path);
        await other.AssertRestAsync(0, 1_000);
    }

    [Fact]
    public async Task An_exclusively_opened_file_is_rejected_where_that_is_no_advisory_lock()
    {
        string path = TestFolder.NewFile(1_000);
        await using FileStream owner = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        if (NativeFeatures.Linux)
        {
            await using FilePipeReader reader = FilePipe.OpenRead(path);
            await reader.AssertRestAsync(0, 1_000);
            return;
        }

        FilePipeException exception = Fails.With(FilePipeError.Sharing, () => FilePipe.OpenRead(path));
        Assert.IsType<IOException>(exception.InnerException, exactMatch: false);
    }

    [NeedsFact(Need.Native)]
    public async Task An_advisory_lock_of_others_stops_no_reader()
    {
        // What flock(1) takes.
        string path = TestFolder.NewFile(1_000_000);
        using SafeFileHandle held = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.None);
        Assert.Throws<IOException>(() => File.OpenRead(path));

        foreach (ReadStrategy strategy in Enum.GetValues<ReadStrategy>())
        {
            await using FilePipeReader reader = FilePipe.OpenRead(path, new FileReadOptions { Strategy = strategy });
            await reader.AssertRestAsync(0, 1_000_000);
        }

        await using FilePipeReader follower = FilePipe.OpenRead(path, new FileReadOptions { Follow = FollowMode.Name });
        (await follower.HoldAsync(1_000_000)).AssertStarts(0, 1_000_000);
        int[] scanned = await FilePipe.ScanAsync(
            path, 4, RecordBoundary.After(0), async (reader, _) => (await reader.ReadToEndAsync()).Length);
        Assert.Equal(1_000_000, scanned.Sum());
        await FilePipe.CopyAsync(path, path + ".copy");
        Assert.Equal(TestContent.Of(1_000_000).ToArray(), await File.ReadAllBytesAsync(path + ".copy"));
    }
}
