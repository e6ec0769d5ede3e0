namespace Millrace.Tests.FilePipes;

/// <summary>What others may do with a file while it is open here, and the other way round.</summary>
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
        FilePipeReader reader = FilePipe.OpenRead(path, new FileReadOptions { Share = FileShare.None });

        FilePipeException exception = Fails.With(FilePipeError.Sharing, () => FilePipe.OpenRead(path));
        Assert.Equal(path, exception.Path);

        await reader.CompleteAsync();
        await using FilePipeReader other = FilePipe.OpenRead(path);
        await other.AssertRestAsync(0, 1_000);
    }

    [Fact]
    public void An_exclusively_opened_file_is_rejected()
    {
        string path = TestFolder.NewFile(1_000);
        using FileStream owner = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);

        FilePipeException exception = Fails.With(FilePipeError.Sharing, () => FilePipe.OpenRead(path));

        Assert.IsType<IOException>(exception.InnerException, exactMatch: false);
    }
}
