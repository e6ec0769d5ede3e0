using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Faults;

/// <summary>A file that is rewritten or grows while it is read, and what ChangeDetection makes of it.</summary>
[SupportedOSPlatform("linux")]
public sealed class ChangeTests
{
    // More than the blocks that may be read ahead.
    private const int Length = 9_000_001;

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task A_file_rewritten_in_place_is_reported_at_its_end(ReadStrategy strategy, bool portable, ChangeDetection detection)
    {
        string path = TestFolder.NewFile(Length);
        await using FilePipeReader reader = Open(path, strategy, portable, detection);
        await reader.SkipAsync(1);
        byte[] rewritten = TestContent.Inverted(Length);
        Write(path, rewritten, 0);

        (byte[] bytes, FilePipeException? exception) = await ReadAsync(reader);

        Assert.Equal(Length - 1, bytes.Length);
        for (int i = 0; i < bytes.Length; i++)
        {
            // One version or the other, nothing else.
            if (bytes[i] != rewritten[i + 1] && bytes[i] != (byte)~rewritten[i + 1])
            {
                Assert.Fail($"byte {i + 1} was never in the file");
            }
        }

        AssertReported(detection != ChangeDetection.Truncated, exception, path, Length);
        File.Delete(path);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task A_file_that_grew_is_read_to_its_new_end(ReadStrategy strategy, bool portable, ChangeDetection detection)
    {
        const int More = 1_500_000;
        string path = TestFolder.NewFile(Length);
        await using FilePipeReader reader = Open(path, strategy, portable, detection);
        await reader.SkipAsync(1);
        Write(path, TestContent.Between(Length, Length + More).Span, Length);

        (byte[] bytes, FilePipeException? exception) = await ReadAsync(reader);

        ReaderExtensions.AssertContent(1, Length + More, bytes);
        AssertReported(detection == ChangeDetection.Any, exception, path, Length + More);
        File.Delete(path);
    }

    [Theory, EveryValue]
    public async Task A_file_that_was_empty_when_opened_and_grew_is_read(ReadStrategy strategy, bool portable, ChangeDetection detection)
    {
        string path = TestFolder.NewFile(0);
        await using FilePipeReader reader = Open(path, strategy, portable, detection);
        Write(path, TestContent.Of(1_000).Span, 0);

        (byte[] bytes, FilePipeException? exception) = await ReadAsync(reader);

        ReaderExtensions.AssertContent(0, 1_000, bytes);
        AssertReported(detection == ChangeDetection.Any, exception, path, 1_000);
    }

    [Theory, EveryValue]
    public async Task A_file_that_was_touched_counts_as_rewritten(ReadStrategy strategy, bool portable, ChangeDetection detection)
    {
        string path = TestFolder.NewFile(1_000);
        await using FilePipeReader reader = Open(path, strategy, portable, detection);
        File.SetLastWriteTimeUtc(path, DateTime.UtcNow);

        (byte[] bytes, FilePipeException? exception) = await ReadAsync(reader);

        ReaderExtensions.AssertContent(0, 1_000, bytes);
        AssertReported(detection != ChangeDetection.Truncated, exception, path, 1_000);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Reads_by_others_do_not_count_as_changes(ReadStrategy strategy, bool portable, ChangeDetection detection)
    {
        string path = TestFolder.NewFile(1_000);
        await using FilePipeReader reader = Open(path, strategy, portable, detection);
        _ = await File.ReadAllBytesAsync(path);
        File.SetUnixFileMode(path, UnixFileMode.UserRead);
        File.Move(path, path + ".moved");

        await reader.AssertRestAsync(0, 1_000);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task A_file_deleted_while_it_is_read_is_read_to_its_end(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Length);
        await using FilePipeReader reader = Open(path, strategy, portable, ChangeDetection.Rewritten);
        await reader.SkipAsync(1);

        File.Delete(path);

        await reader.AssertRestAsync(1, Length);
    }

    private static FilePipeReader Open(string path, ReadStrategy strategy, bool portable, ChangeDetection detection) =>
        TestReader.Open(path, strategy, portable, new FileReadOptions { ChangeDetection = detection, Share = FileShare.ReadWrite });

    private static void Write(string path, ReadOnlySpan<byte> bytes, long offset)
    {
        using SafeFileHandle handle = File.OpenHandle(path, access: FileAccess.Write, share: FileShare.ReadWrite);
        RandomAccess.Write(handle, bytes, offset);
    }

    private static void AssertReported(bool reported, FilePipeException? exception, string path, long offset)
    {
        Assert.Equal(reported, exception is not null);
        if (exception is not null)
        {
            Assert.Equal(FilePipeError.Changed, exception.Error);
            Assert.Equal(path, exception.Path);
            Assert.Equal(offset, exception.Offset);
            Assert.Contains(nameof(ChangeDetection), exception.Message, StringComparison.Ordinal);
        }
    }

    private static async Task<(byte[] Bytes, FilePipeException? Exception)> ReadAsync(FilePipeReader reader)
    {
        var bytes = new ArrayBufferWriter<byte>();
        try
        {
            while (true)
            {
                ReadResult result = await reader.ReadAsync().Soon();
                bytes.Write(result.Buffer.FirstSpan);
                reader.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                {
                    return (bytes.WrittenSpan.ToArray(), null);
                }
            }
        }
        catch (FilePipeException exception)
        {
            return (bytes.WrittenSpan.ToArray(), exception);
        }
    }
}
