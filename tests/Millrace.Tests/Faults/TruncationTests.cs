using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Faults;

/// <summary>A file that becomes shorter while it is read: never wrong bytes, then an exception.</summary>
public sealed class TruncationTests
{
    // Longer than two windows, so that something is left to be read whatever is held.
    private const int Length = 9_000_001;

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Bytes_before_the_reported_truncation_are_correct(ReadStrategy strategy, bool portable)
    {
        foreach (int length in new[] { 0, 1_000_001, Length - 1 })
        {
            string path = TestFolder.NewFile(Length);
            await using FilePipeReader reader = Open(path, strategy, portable);
            await reader.SkipAsync(10_000);

            Truncate(path, length);

            (long consumed, FilePipeException exception) = await ReadToFailureAsync(reader, 10_000);
            Assert.Equal(FilePipeError.Truncated, exception.Error);
            Assert.Equal(path, exception.Path);
            Assert.Equal(consumed, exception.Offset);
            Assert.Equal(consumed, reader.Position);
            Assert.InRange(consumed, Math.Max(10_000, length), Length - 1);
            Assert.Contains(path, exception.Message, StringComparison.Ordinal);
            File.Delete(path);
        }
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Every_further_read_reports_the_truncation(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Length);
        await using FilePipeReader reader = Open(path, strategy, portable);
        await reader.SkipAsync(1);
        Truncate(path, 2_000_000);
        (long consumed, _) = await ReadToFailureAsync(reader, 1);

        for (int turn = 0; turn < 3; turn++)
        {
            FilePipeException again = await Fails.WithAsync(FilePipeError.Truncated, () => reader.ReadAsync().Soon());
            Assert.Equal(consumed, again.Offset);
            Assert.Equal(FilePipeError.Truncated, Assert.Throws<FilePipeException>(() => reader.Read()).Error);
            Assert.False(reader.TryRead(out _));
        }

        File.Delete(path);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Buffered_bytes_stay_available(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Length);
        await using FilePipeReader reader = Open(path, strategy, portable);
        ReadResult held = await reader.HoldAsync(300_000);
        Truncate(path, 0);

        held.AssertStarts(0, 300_000);
        reader.AdvanceTo(held.Buffer.GetPosition(10), held.Buffer.GetPosition(100));
        (await reader.ReadAsync().Soon()).AssertStarts(10, 200_000);
        File.Delete(path);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Bytes_read_before_the_failure_stay_available(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Length);
        await using FilePipeReader reader = Open(path, strategy, portable);
        await reader.SkipAsync(5_000);
        Truncate(path, 400_000);
        FilePipeException exception = await Fails.WithAsync(
            FilePipeError.Truncated, () => reader.ReadAtLeastAsync(Length).Soon());

        Assert.Equal(5_000, reader.Position);
        long held = 0;
        while (reader.TryRead(out ReadResult result))
        {
            held = result.Buffer.Length;
            ReaderExtensions.AssertContent(5_000, 5_000 + held, result.Buffer.ToArray());
            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        }

        Assert.Equal(exception.Offset, 5_000 + held);
        File.Delete(path);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task The_rest_can_be_read_after_a_seek(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Length);
        await using FilePipeReader reader = Open(path, strategy, portable);
        await reader.SkipAsync(1);
        Truncate(path, 700_001);
        await ReadToFailureAsync(reader, 1);

        reader.Seek(0);
        (await reader.HoldAsync(700_001)).AssertStarts(0, 700_001);
        File.Delete(path);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task A_copy_fails_at_the_first_byte_that_was_not_copied(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Length);
        await using FilePipeReader reader = Open(path, strategy, portable);
        await reader.SkipAsync(1);
        Truncate(path, 3_000_000);
        using var destination = new MemoryStream();

        FilePipeException exception = await Fails.WithAsync(
            FilePipeError.Truncated, () => reader.CopyToAsync(destination).Soon());

        Assert.Equal(reader.Position, exception.Offset);
        ReaderExtensions.AssertContent(1, reader.Position, destination.ToArray());
        File.Delete(path);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task A_remaining_part_is_readable_if_only_truncation_is_detected(
        ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Length);
        var options = new FileReadOptions { Share = FileShare.ReadWrite, Length = 6_000_000, ChangeDetection = ChangeDetection.Truncated };
        await using FilePipeReader reader = TestReader.Open(path, strategy, portable, options);
        await reader.SkipAsync(1);
        Truncate(path, 6_000_000);

        await reader.AssertRestAsync(1, 6_000_000);
        File.Delete(path);
    }

    private static FilePipeReader Open(string path, ReadStrategy strategy, bool portable) => TestReader.Open(
        path, strategy, portable, new FileReadOptions { Share = FileShare.ReadWrite });

    private static void Truncate(string path, long length)
    {
        using SafeFileHandle handle =
            File.OpenHandle(path, access: FileAccess.Write, share: FileShare.ReadWrite | FileShare.Delete);
        RandomAccess.SetLength(handle, length);
    }

    private static async Task<(long Consumed, FilePipeException Exception)> ReadToFailureAsync(
        FilePipeReader reader, long consumed)
    {
        while (true)
        {
            ReadResult result;
            try
            {
                result = await reader.ReadAsync().Soon();
            }
            catch (FilePipeException exception)
            {
                return (consumed, exception);
            }

            ReaderExtensions.AssertContent(consumed, consumed + result.Buffer.Length, result.Buffer.ToArray());
            consumed += result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.End);
            Assert.False(result.IsCompleted, "the file is shorter than it was");
        }
    }
}
