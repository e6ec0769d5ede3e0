using System.Text;

namespace Millrace.Tests.Follow;

/// <summary>Follow mode: a file that others append to, rotate and truncate, natively and portably.</summary>
public sealed class FollowTests
{
    /// <summary>Long enough that a test which passes by polling alone would be seen to wait.</summary>
    private static readonly TimeSpan NoPoll = TimeSpan.FromHours(1);

    private static readonly TimeSpan QuickPoll = TimeSpan.FromMilliseconds(20);

    [Theory, EveryValue(Except = FollowMode.None)]
    public async Task Appended_bytes_arrive_without_polling(FollowMode mode, bool portable)
    {
        string path = NewFile("one\n");
        await using FilePipeReader reader = Open(path, mode, portable, NoPoll);
        Assert.Equal("one\n", await ReadText(reader, 4));

        Task<ReadResult> read = reader.ReadAsync().AsTask();
        Assert.False(read.IsCompleted);
        await File.AppendAllTextAsync(path, "two\n");

        ReadResult result = await read.Soon();
        Assert.False(result.IsCompleted);
        Assert.Equal("two\n", Encoding.UTF8.GetString(result.Buffer));
        reader.AdvanceTo(result.Buffer.End);
        Assert.Equal(8, reader.Position);
        Assert.Equal(8, reader.Length);
    }

    [Theory, EveryValue(Except = FollowMode.None)]
    public async Task An_empty_file_is_waited_for(FollowMode mode, bool portable)
    {
        string path = NewFile("");
        await using FilePipeReader reader = Open(path, mode, portable, NoPoll);
        Task<ReadResult> read = reader.ReadAsync().AsTask();

        await File.AppendAllTextAsync(path, "first");

        Assert.Equal("first", Encoding.UTF8.GetString((await read.Soon()).Buffer));
    }

    [Theory, EveryValue(Except = FollowMode.None)]
    public async Task Polling_alone_finds_appended_bytes(FollowMode mode, bool portable)
    {
        // A handle without a name has no folder to watch; a name gets the same reader with the watch taken away.
        string path = NewFile("a");
        await using FilePipeReader reader = mode == FollowMode.Descriptor
            ? FilePipe.OpenRead(
                File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite),
                new FileReadOptions { Follow = mode, Portable = portable, FollowPollInterval = QuickPoll })
            : Open(path, mode, portable, QuickPoll);
        Assert.Equal("a", await ReadText(reader, 1));
        Task<ReadResult> read = reader.ReadAsync().AsTask();

        await File.AppendAllTextAsync(path, "b");

        Assert.Equal("b", Encoding.UTF8.GetString((await read.Soon()).Buffer));
    }

    [Theory, EveryValue(Except = FollowMode.None)]
    public async Task Appends_of_many_sizes_arrive_whole_and_in_order(FollowMode mode, bool portable)
    {
        string path = NewFile("");
        await using FilePipeReader reader = Open(path, mode, portable, QuickPoll);
        int[] sizes = [1, 4095, 4096, 4097, 65_536, 262_143, 262_145, 1_000_003];
        Task writing = Task.Run(async () =>
        {
            int offset = 0;
            await using FileStream stream = new(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, 0);
            foreach (int size in sizes)
            {
                await stream.WriteAsync(TestContent.Between(offset, offset + size));
                offset += size;
                await Task.Yield();
            }
        });

        ReadResult result = await reader.ReadAtLeastAsync(sizes.Sum()).Soon();
        await writing.Soon();

        result.AssertStarts(0, sizes.Sum());
        Assert.False(result.IsCompleted);
    }

    [Theory, EveryValue]
    public async Task A_rotated_file_is_read_to_its_end_and_then_the_new_one_from_its_start(bool portable)
    {
        string path = NewFile("old 1\n");
        await using FilePipeReader reader = Open(path, FollowMode.Name, portable, QuickPoll);
        Assert.Equal("old 1\n", await ReadText(reader, 6));
        Task<ReadResult> read = reader.ReadAsync().AsTask();

        string rotated = path + ".1";
        File.Move(path, rotated);
        await File.AppendAllTextAsync(rotated, "old 2\n");
        ReadResult result = await read.Soon();
        Assert.Equal("old 2\n", Encoding.UTF8.GetString(result.Buffer));
        reader.AdvanceTo(result.Buffer.End);
        read = reader.ReadAsync().AsTask();
        await File.WriteAllTextAsync(path, "new 1\n");

        result = await read.Soon();
        Assert.Equal("new 1\n", Encoding.UTF8.GetString(result.Buffer));
        reader.AdvanceTo(result.Buffer.End);
        Assert.Equal(18, reader.Position);
        await File.AppendAllTextAsync(path, "new 2\n");
        Assert.Equal("new 2\n", await ReadText(reader, 6));
    }

    [Theory, EveryValue]
    public async Task Many_rotations_lose_and_repeat_nothing(bool portable)
    {
        const int Files = 20;
        string path = NewFile("");
        await using FilePipeReader reader = Open(path, FollowMode.Name, portable, QuickPoll);
        var expected = new StringBuilder();
        var seen = new StringBuilder();
        for (int file = 0; file < Files; file++)
        {
            string text = new string((char)('a' + file), 10 + (file * 7_001));
            await File.AppendAllTextAsync(path, text);
            expected.Append(text);

            // Rotation is only safe once the old file was taken up; that is so for every follower of names.
            seen.Append(await ReadText(reader, text.Length));
            File.Move(path, $"{path}.{file}");
            await File.WriteAllTextAsync(path, "");
        }

        Assert.Equal(expected.ToString(), seen.ToString());
    }

    [Theory, EveryValue]
    public async Task Following_by_descriptor_stays_with_the_rotated_file(bool portable)
    {
        string path = NewFile("a");
        await using FilePipeReader reader = Open(path, FollowMode.Descriptor, portable, QuickPoll);
        Assert.Equal("a", await ReadText(reader, 1));

        string rotated = path + ".1";
        File.Move(path, rotated);
        await File.WriteAllTextAsync(path, "another file");
        await File.AppendAllTextAsync(rotated, "b");

        Assert.Equal("b", await ReadText(reader, 1));
    }

    [Theory, EveryValue]
    public async Task A_file_truncated_in_place_starts_again_when_followed_by_name(bool portable)
    {
        string path = NewFile("before the truncation");
        await using FilePipeReader reader = Open(path, FollowMode.Name, portable, QuickPoll);
        Assert.Equal("before the truncation", await ReadText(reader, 21));

        await File.WriteAllTextAsync(path, "after");

        Assert.Equal("after", await ReadText(reader, 5));
    }

    [Theory, EveryValue]
    public async Task A_file_truncated_in_place_is_an_error_when_followed_by_descriptor(bool portable)
    {
        string path = NewFile("before");
        await using FilePipeReader reader = Open(path, FollowMode.Descriptor, portable, QuickPoll);
        Assert.Equal("before", await ReadText(reader, 6));
        Task<ReadResult> read = reader.ReadAsync().AsTask();

        await using (FileStream stream = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            stream.SetLength(2);
        }

        FilePipeException exception = await Fails.WithAsync(FilePipeError.Truncated, () => read.Soon());
        Assert.Equal(path, exception.Path);
        Assert.Equal(6, exception.Offset);
    }

    [Theory, EveryValue(Except = FollowMode.None)]
    public async Task A_cancelled_token_ends_the_wait_and_the_reader_continues(FollowMode mode, bool portable)
    {
        string path = NewFile("a");
        await using FilePipeReader reader = Open(path, mode, portable, QuickPoll);
        Assert.Equal("a", await ReadText(reader, 1));
        using var cancellation = new CancellationTokenSource();
        Task<ReadResult> read = reader.ReadAsync(cancellation.Token).AsTask();

        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read.Soon());
        await File.AppendAllTextAsync(path, "b");
        Assert.Equal("b", await ReadText(reader, 1));
    }

    [Theory, EveryValue(Except = FollowMode.None)]
    public async Task CancelPendingRead_ends_the_wait_and_the_reader_continues(FollowMode mode, bool portable)
    {
        string path = NewFile("a");
        await using FilePipeReader reader = Open(path, mode, portable, QuickPoll);
        Assert.Equal("a", await ReadText(reader, 1));
        Task<ReadResult> read = reader.ReadAsync().AsTask();

        reader.CancelPendingRead();

        ReadResult canceled = await read.Soon();
        Assert.True(canceled.IsCanceled);
        reader.AdvanceTo(canceled.Buffer.End);
        await File.AppendAllTextAsync(path, "b");
        Assert.Equal("b", await ReadText(reader, 1));
    }

    [Theory, EveryValue(Except = FollowMode.None)]
    public async Task Completing_the_reader_ends_the_wait(FollowMode mode, bool portable)
    {
        FilePipeReader reader = Open(NewFile(""), mode, portable, QuickPoll);
        Task<ReadResult> read = reader.ReadAsync().AsTask();

        await reader.DisposeAsync();

        await Assert.ThrowsAsync<InvalidOperationException>(() => read.Soon());
    }

    [Fact]
    public async Task A_length_ends_follow_mode()
    {
        string path = NewFile("abc");
        await using FilePipeReader reader = FilePipe.OpenRead(
            path, new FileReadOptions { Follow = FollowMode.Descriptor, Length = 5, FollowPollInterval = QuickPoll });
        Assert.Equal("abc", await ReadText(reader, 3));
        Task<ReadResult> read = reader.ReadAsync().AsTask();
        await File.AppendAllTextAsync(path, "defg");

        ReadResult result = await read.Soon();
        Assert.Equal("de", Encoding.UTF8.GetString(result.Buffer));
        reader.AdvanceTo(result.Buffer.End);
        Assert.True(result.IsCompleted || (await reader.ReadAsync().Soon()).IsCompleted);
    }

    [Fact]
    public async Task A_file_followed_by_name_cannot_seek()
    {
        await using FilePipeReader reader = Open(NewFile("abc"), FollowMode.Name, portable: false, QuickPoll);
        await ReadText(reader, 3);

        Assert.Throws<NotSupportedException>(() => reader.Seek(100));
        Assert.Throws<NotSupportedException>(() => reader.Seek(1));
    }

    [Theory, EveryValue]
    public async Task A_file_followed_by_descriptor_seeks(bool portable)
    {
        string path = NewFile("abcdef");
        await using FilePipeReader reader = Open(path, FollowMode.Descriptor, portable, QuickPoll);
        await ReadText(reader, 6);

        reader.Seek(2);

        Assert.Equal("cdef", await ReadText(reader, 4));
        Assert.Equal(6, reader.Position);
    }

    private static string NewFile(string text)
    {
        string path = TestFolder.NewPath(".log");
        File.WriteAllText(path, text);
        return path;
    }

    private static FilePipeReader Open(string path, FollowMode mode, bool portable, TimeSpan poll) =>
        FilePipe.OpenRead(
            path, new FileReadOptions { Follow = mode, Portable = portable, FollowPollInterval = poll });

    private static async Task<string> ReadText(FilePipeReader reader, int bytes)
    {
        ReadResult result = await reader.ReadAtLeastAsync(bytes).Soon();
        string text = Encoding.UTF8.GetString(result.Buffer.Slice(0, bytes));
        Assert.Equal(bytes, result.Buffer.Length);
        reader.AdvanceTo(result.Buffer.End);
        return text;
    }
}
