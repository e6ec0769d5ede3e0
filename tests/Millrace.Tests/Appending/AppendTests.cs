using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Appending;

/// <summary>The contract of a PipeWriter, as far as it applies to the end of a file.</summary>
public sealed class AppendTests
{
    [Theory, EveryValue]
    public async Task Bytes_are_appended_after_existing_ones(bool portable, Durability durability)
    {
        string path = TestFolder.NewFile(1000);
        await using (FileAppendWriter writer = Logs.Open(path, portable, durability))
        {
            await writer.WriteAsync(TestContent.Between(1000, 1500));
            await writer.WriteAsync(TestContent.Between(1500, 1501));
        }

        Assert.Equal(TestContent.Of(1501).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [Theory, EveryValue]
    public async Task A_missing_file_is_created(bool portable, Durability durability)
    {
        using var folder = new TemporaryFolder();
        await using FileAppendWriter writer = Logs.Open(folder["log"], portable, durability);

        Assert.Equal(["log"], folder.Names);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Nothing_is_in_the_file_before_the_flush_however_much_is_buffered(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        await using FileAppendWriter writer = Logs.Open(path, portable, durability);
        for (int i = 0; i < 20; i++)
        {
            writer.Write(TestContent.Between(i * 100_000, (i + 1) * 100_000).Span);
        }

        Assert.Equal(0, new FileInfo(path).Length);
        Assert.Equal(2_000_000, writer.UnflushedBytes);
        await writer.FlushAsync();

        Assert.Equal(0, writer.UnflushedBytes);
        Assert.Equal(TestContent.Of(2_000_000).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Buffered_bytes_precede_written_ones(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        await using FileAppendWriter writer = Logs.Open(path, portable, durability);
        writer.Write(TestContent.Of(10).Span);

        FlushResult result = await writer.WriteAsync(TestContent.Between(10, 30));

        Assert.False(result.IsCanceled);
        Assert.False(result.IsCompleted);
        Assert.Equal(TestContent.Of(30).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [Theory, EveryValue]
    public async Task Accepted_bytes_are_those_of_this_writer(bool portable, Durability durability)
    {
        string path = TestFolder.NewFile(100);
        await using FileAppendWriter writer = Logs.Open(path, portable, durability);
        await writer.WriteAsync(TestContent.Of(10));
        writer.Write(TestContent.Of(5).Span);

        Assert.Equal(15, writer.AcceptedBytes);
        Assert.Equal(5, writer.UnflushedBytes);
    }

    [Theory, EveryValue]
    public async Task The_offset_of_the_last_flush_finds_its_bytes_again(bool portable, Durability durability)
    {
        string path = TestFolder.NewFile(100);
        await using FileAppendWriter one = Logs.Open(path, portable, durability);
        await using FileAppendWriter other = Logs.Open(path, portable, durability);
        Assert.Equal(-1, one.LastFlushOffset);

        await one.WriteAsync(TestContent.Of(10));
        await other.WriteAsync(TestContent.Of(7));
        await one.FlushAsync();

        Assert.Equal(100, one.LastFlushOffset);
        Assert.Equal(110, other.LastFlushOffset);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task A_flush_to_the_device_appends_what_is_left(bool portable, Durability durability)
    {
        string path = TestFolder.NewFile(100);
        await using FileAppendWriter writer = Logs.Open(path, portable, durability);
        await writer.WriteAsync(TestContent.Between(100, 110));
        writer.Write(TestContent.Between(110, 120).Span);

        await writer.FlushToDeviceAsync();

        Assert.Equal(20, writer.AcceptedBytes);
        Assert.Equal(110, writer.LastFlushOffset);
        Assert.Equal(TestContent.Of(120).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [Theory, EveryValue]
    public void Completing_flushes_what_is_left(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        FileAppendWriter writer = Logs.Open(path, portable, durability);
        writer.Write(TestContent.Of(100).Span);
        writer.Complete();
        writer.Complete();

        Assert.Equal(TestContent.Of(100).ToArray(), File.ReadAllBytes(path));
    }

    [Theory, EveryValue]
    public void Completing_with_an_exception_drops_what_is_left(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        FileAppendWriter writer = Logs.Open(path, portable, durability);
        writer.Write(TestContent.Of(100).Span);
        writer.Complete(new InvalidOperationException("The caller gave up."));

        Assert.Equal(0, new FileInfo(path).Length);
    }

    [Theory, EveryValue]
    public async Task Completing_while_a_flush_is_pending_waits_for_it_and_appends_the_rest(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        FileAppendWriter writer = Logs.Open(path, portable, durability);
        Task<FlushResult> flush = Logs.FlushLater(writer, TestContent.Of(100));
        Task completion = Task.Run(() => writer.Complete());
        Logs.LogOf(writer).Leave();
        await completion.Soon();
        await flush.Soon();

        Assert.Equal(TestContent.Of(100).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [Theory, EveryValue]
    public async Task A_second_flush_while_one_is_pending_is_rejected(bool portable, Durability durability)
    {
        await using FileAppendWriter writer = Logs.Open(TestFolder.NewPath(), portable, durability);
        Task<FlushResult> flush = Logs.FlushLater(writer, TestContent.Of(100));

        await Assert.ThrowsAsync<InvalidOperationException>(() => writer.FlushAsync().AsTask());
        Assert.Throws<InvalidOperationException>(() => writer.GetMemory());

        Logs.LogOf(writer).Leave();
        await flush.Soon();
    }

    [Theory, EveryValue]
    public async Task Calls_after_completion_are_rejected(bool portable, Durability durability)
    {
        FileAppendWriter writer = Logs.Open(TestFolder.NewPath(), portable, durability);
        await writer.CompleteAsync();

        await Assert.ThrowsAsync<InvalidOperationException>(() => writer.FlushAsync().AsTask());
        await Assert.ThrowsAsync<InvalidOperationException>(() => writer.FlushToDeviceAsync().AsTask());
        Assert.Throws<InvalidOperationException>(() => writer.GetSpan());
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task The_file_is_closed_with_its_last_writer(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        FileAppendWriter one = Logs.Open(path, portable, durability);
        FileAppendWriter other = Logs.Open(path, portable, durability);
        Assert.Equal(1, Linux.OpenDescriptors(path));
        await one.DisposeAsync();
        Assert.Equal(1, Linux.OpenDescriptors(path));
        await other.DisposeAsync();
        Assert.Equal(0, Linux.OpenDescriptors(path));
    }
    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_starting_process_does_not_hold_a_closed_log_open(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        FileAppendWriter writer = Logs.Open(path, portable, durability);
        using SafeFileHandle inherited = Linux.Duplicate(Logs.LogOf(writer).File.Handle);
        await writer.DisposeAsync();

        using FileStream alone = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        Assert.Equal(0, alone.Length);
    }
}
