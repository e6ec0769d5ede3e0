using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Direct;

/// <summary>Files that change while they are read.</summary>
public class DirectChangeTests
{
    private const int Size = 12 * 1024 * 1024;

    public static TheoryData<string> Engines => DirectReaders.EngineData;

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task Truncation_is_reported_after_the_last_remaining_byte(string engine)
    {
        const int Left = (9 * 1024 * 1024) + 123;
        string path = DirectReaders.NewFile(Size);
        using FilePipeReader reader = DirectReaders.Open(engine, path);
        await reader.SkipAsync(1000);
        using (SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite))
        {
            RandomAccess.SetLength(file, Left);
        }

        long offset = 1000;
        FilePipeException exception = await Fails.WithAsync(FilePipeError.Truncated, async () =>
        {
            while (true)
            {
                ReadResult result = await reader.ReadAsync().Soon();
                result.AssertStarts(offset);
                offset += result.Buffer.Length;
                reader.AdvanceTo(result.Buffer.End);
            }
        });
        Assert.Equal(Left, exception.Offset);
        Assert.Equal(Left, offset);
    }

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task A_file_that_grew_is_read_to_its_new_end(string engine)
    {
        const int AtOpen = (3 * 1024 * 1024) + 77;
        string path = DirectReaders.NewFile(AtOpen);
        using FilePipeReader reader = DirectReaders.Open(engine, path);
        await reader.SkipAsync(1);
        using (SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            RandomAccess.Write(file, TestContent.Between(AtOpen, Size - 5).Span, AtOpen);
        }

        await reader.AssertRestAsync(1, Size - 5);
    }

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task A_file_that_was_rewritten_is_reported(string engine)
    {
        string path = DirectReaders.NewFile(Size);
        using FilePipeReader reader = DirectReaders.Open(engine, path);
        await reader.SkipAsync(1);
        using (SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            RandomAccess.Write(file, new byte[100], Size - 100);
        }

        await Fails.WithAsync(FilePipeError.Changed, () => reader.ReadToEndAsync());
    }

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task Bytes_that_are_only_in_the_page_cache_are_read(string engine)
    {
        string path = DirectReaders.NewFile(Size);
        byte[] other = TestContent.Inverted(Size);
        using (SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Write))
        {
            RandomAccess.Write(file, other, 0);
        }

        using FilePipeReader reader = DirectReaders.Open(engine, path);
        byte[] read = await reader.ReadToEndAsync();
        Assert.True(other.AsSpan().SequenceEqual(read));
    }
}
