namespace Millrace.Tests.Scanning;

/// <summary>Exceptions of a scan, and its clean-up.</summary>
public sealed class ScanFailureTests
{
    private const int Degree = 3;

    [Fact]
    public async Task The_first_failure_ends_the_others_and_is_thrown()
    {
        var begun = new CountdownEvent(Degree);
        int ended = 0;

        FormatException thrown = await Assert.ThrowsAsync<FormatException>(() => FilePipe.ScanAsync(
            TestFolder.SharedFile(1_000),
            Degree,
            default,
            async (reader, cancellationToken) =>
            {
                try
                {
                    begun.Signal();
                    if (reader.Position > 0 && reader.Position < 500)
                    {
                        await Task.Run(begun.Wait, CancellationToken.None);
                        throw new FormatException("the middle one");
                    }

                    await Task.Delay(Timeout.Infinite, cancellationToken);
                    return 0;
                }
                finally
                {
                    Interlocked.Increment(ref ended);
                }
            }).Soon());

        Assert.Equal("the middle one", thrown.Message);
        Assert.Equal(Degree, ended);
    }

    [Fact]
    public async Task A_cancelled_token_ends_every_range_and_is_named()
    {
        using var stop = new CancellationTokenSource();
        var begun = new CountdownEvent(Degree);
        int ended = 0;
        Task<int[]> scan = FilePipe.ScanAsync(
            TestFolder.SharedFile(1_000),
            Degree,
            default,
            async (_, cancellationToken) =>
            {
                begun.Signal();
                try
                {
                    await Task.Delay(Timeout.Infinite, cancellationToken);
                    return 0;
                }
                finally
                {
                    Interlocked.Increment(ref ended);
                }
            },
            cancellationToken: stop.Token);
        await Task.Run(begun.Wait).Soon();
        await stop.CancelAsync();

        OperationCanceledException thrown = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => scan.Soon());

        Assert.Equal(stop.Token, thrown.CancellationToken);
        Assert.Equal(Degree, ended);
    }

    [Fact]
    public async Task A_token_that_is_cancelled_already_opens_nothing()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => FilePipe.ScanAsync(
            TestFolder.NewPath(), 1, default, ScannedRange.ReadAsync, cancellationToken: new CancellationToken(true)).Soon());
    }

    [Fact]
    public async Task A_token_ends_the_search_for_a_boundary()
    {
        using var stop = new CancellationTokenSource();
        string path = TestFolder.SharedFile(TestContent.MaxLength);
        RecordBoundary boundary = RecordBoundary.Where(
            (_, _) =>
            {
                stop.Cancel();
                return false;
            },
            lookAhead: 1);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => FilePipe.ScanAsync(
            path, 2, boundary, ScannedRange.ReadAsync, cancellationToken: stop.Token).Soon());
    }

    [Fact]
    public async Task A_missing_file_is_named()
    {
        string path = TestFolder.NewPath();

        FilePipeException thrown = await Fails.WithAsync(
            FilePipeError.NotFound, () => ScannedRange.ScanAsync(path, 2, RecordBoundary.Lines));

        Assert.Equal(path, thrown.Path);
    }

    [Fact]
    public async Task A_folder_is_rejected()
    {
        await Fails.WithAsync(FilePipeError.IsDirectory, () => ScannedRange.ScanAsync(TestFolder.Root, 2, RecordBoundary.Lines));
    }

    [Theory, EveryValue(Except = FollowMode.None)]
    public void Following_is_rejected(FollowMode follow) =>
        Assert.Throws<ArgumentException>("options", () =>
        {
            _ = ScannedRange.ScanAsync(TestFolder.SharedFile(1_000), 2, default, new FileReadOptions { Follow = follow });
        });

    [Fact]
    public async Task Exception_of_a_predicate_reaches_the_caller()
    {
        RecordBoundary boundary = RecordBoundary.Where((_, _) => throw new FormatException("no record"));

        await Assert.ThrowsAsync<FormatException>(
            () => ScannedRange.ScanAsync(TestFolder.SharedFile(1_000), 4, boundary));
    }

    [Fact]
    public async Task Exception_of_combine_reaches_the_caller()
    {
        await Assert.ThrowsAsync<OverflowException>(() => FilePipe.ScanAsync(
            TestFolder.SharedFile(1_000),
            2,
            default,
            (_, _) => ValueTask.FromResult(int.MaxValue),
            (left, right) => checked(left + right)).Soon());
    }

    [Fact]
    public async Task The_file_is_closed_when_the_scan_has_failed()
    {
        string path = TestFolder.NewFile(1_000);
        var options = new FileReadOptions { Share = FileShare.None };
        for (int turn = 0; turn < 2; turn++)
        {
            await Assert.ThrowsAsync<FormatException>(() => FilePipe.ScanAsync<int>(
                path, 2, default, (_, _) => throw new FormatException(), options).Soon());
        }

        await using FileStream alone = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        Assert.Equal(1_000, alone.Length);
    }
}
