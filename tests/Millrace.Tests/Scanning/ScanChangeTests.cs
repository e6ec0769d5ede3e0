using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Scanning;

/// <summary>A file that others change while it is scanned.</summary>
public sealed class ScanChangeTests
{
    private const int Length = 2_000_001;

    // Deletion, too: a read that is on its way when the scan fails keeps the file open until it ends, which only Windows minds.
    private const FileShare Shared = FileShare.ReadWrite | FileShare.Delete;

    [Fact]
    public async Task Bytes_added_after_opening_are_not_scanned()
    {
        string path = TestFolder.NewFile(Length);

        long read = await ScanChangedAsync(path, Append, ChangeDetection.Rewritten);

        Assert.Equal(Length, read);
        File.Delete(path);
    }

    [Fact]
    public async Task Growth_is_reported_with_ChangeDetection_Any()
    {
        string path = TestFolder.NewFile(Length);

        await AssertErrorAsync(FilePipeError.Changed, path, Append, ChangeDetection.Any);
    }

    [Fact]
    public async Task A_file_that_is_rewritten_is_reported()
    {
        string path = TestFolder.NewFile(Length);

        await AssertErrorAsync(
            FilePipeError.Changed, path, file => RandomAccess.Write(file, TestContent.Inverted(10), 100), ChangeDetection.Rewritten);
    }

    [Theory]
    [InlineData(ChangeDetection.Rewritten)]
    [InlineData(ChangeDetection.Truncated)]
    public async Task A_file_that_is_truncated_is_reported(ChangeDetection detection)
    {
        string path = TestFolder.NewFile(Length);

        await AssertErrorAsync(FilePipeError.Truncated, path, file => RandomAccess.SetLength(file, 500_000), detection);
    }

    [Fact]
    public async Task A_file_that_is_truncated_while_a_boundary_is_looked_for_is_reported()
    {
        string path = TestFolder.NewFile(Length);
        RecordBoundary boundary = RecordBoundary.Where(
            (_, _) =>
            {
                Change(path, file => RandomAccess.SetLength(file, 10));
                return false;
            },
            lookAhead: 1);

        await Fails.WithAsync(
            FilePipeError.Truncated, () => ScannedRange.ScanAsync(path, 2, boundary, new FileReadOptions { Share = Shared }));

        File.Delete(path);
    }

    private static async Task AssertErrorAsync(
        FilePipeError error, string path, Action<SafeFileHandle> change, ChangeDetection detection)
    {
        FilePipeException thrown =
            await Assert.ThrowsAsync<FilePipeException>(() => ScanChangedAsync(path, change, detection));
        Assert.Equal(error, thrown.Error);
        Assert.Equal(path, thrown.Path);
        File.Delete(path);
    }

    /// <summary>Scans a file that is changed as soon as its ranges are known and before any of them is read.</summary>
    private static async Task<long> ScanChangedAsync(
        string path, Action<SafeFileHandle> change, ChangeDetection detection)
    {
        var changed = new Lazy<bool>(() =>
        {
            Change(path, change);
            return true;
        });
        return await FilePipe.ScanAsync(
            path,
            2,
            default,
            async (reader, _) => changed.Value ? (await reader.ReadToEndAsync()).LongLength : 0,
            (left, right) => left + right,
            new FileReadOptions { Share = Shared, ChangeDetection = detection }).Soon();
    }

    private static void Append(SafeFileHandle file) =>
        RandomAccess.Write(file, new byte[100], Length);

    private static void Change(string path, Action<SafeFileHandle> change)
    {
        using SafeFileHandle file =
            File.OpenHandle(path, access: FileAccess.ReadWrite, share: FileShare.ReadWrite);
        change(file);
    }
}
