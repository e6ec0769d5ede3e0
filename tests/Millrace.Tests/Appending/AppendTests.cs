using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Appending;

/// <summary>The contract of a PipeWriter, as far as it applies to the end of a file.</summary>
public sealed class AppendTests
{
    [Theory, EveryLog]
    public async Task Bytes_come_after_those_that_are_there(bool portable, Durability durability)
    {
        string path = TestFolder.NewFile(1000);
        await using (FilePipeWriter writer = Logs.Open(path, portable, durability))
        {
            await writer.WriteAsync(TestContent.Between(1000, 1500));
            await writer.WriteAsync(TestContent.Between(1500, 1501));
        }

        Assert.Equal(TestContent.Of(1501).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [Theory, EveryLog]
    public async Task A_file_that_is_not_there_is_created_under_its_name(bool portable, Durability durability)
    {
        using var folder = new TemporaryFolder();
        await using FilePipeWriter writer = Logs.Open(folder["log"], portable, durability);

        Assert.Equal(["log"], folder.Names);
    }

    [Theory, EveryLog]
    public async Task Nothing_is_in_the_file_before_the_flush_however_much_was_gathered(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        await using FilePipeWriter writer = Logs.Open(path, portable, durability);
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

    [Theory, EveryLog]
    public async Task What_was_gathered_comes_before_what_is_written(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        await using FilePipeWriter writer = Logs.Open(path, portable, durability);
        writer.Write(TestContent.Of(10).Span);

        FlushResult result = await writer.WriteAsync(TestContent.Between(10, 30));

        Assert.False(result.IsCanceled);
        Assert.False(result.IsCompleted);
        Assert.Equal(TestContent.Of(30).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [Theory, EveryLog]
    public async Task Position_counts_what_this_writer_has_accepted(bool portable, Durability durability)
    {
        string path = TestFolder.NewFile(100);
        await using FilePipeWriter writer = Logs.Open(path, portable, durability);
        await writer.WriteAsync(TestContent.Of(10));
        writer.Write(TestContent.Of(5).Span);

        Assert.Equal(15, writer.Position);
        Assert.Equal(5, writer.UnflushedBytes);
    }

    [Theory, EveryLog]
    public async Task The_offset_of_the_last_flush_finds_its_bytes_again(bool portable, Durability durability)
    {
        string path = TestFolder.NewFile(100);
        await using FilePipeWriter one = Logs.Open(path, portable, durability);
        await using FilePipeWriter other = Logs.Open(path, portable, durability);
        Assert.Equal(-1, one.LastFlushOffset);

        await one.WriteAsync(TestContent.Of(10));
        await other.WriteAsync(TestContent.Of(7));
        await one.FlushAsync();

        Assert.Equal(100, one.LastFlushOffset);
        Assert.Equal(110, other.LastFlushOffset);
    }

    [Theory, EveryLog]
    public async Task A_commit_flushes_what_is_left_and_says_how_much_this_writer_wrote(bool portable, Durability durability)
    {
        string path = TestFolder.NewFile(100);
        await using FilePipeWriter writer = Logs.Open(path, portable, durability);
        await writer.WriteAsync(TestContent.Between(100, 110));
        writer.Write(TestContent.Between(110, 120).Span);

        CommitResult commit = await writer.CommitAsync();

        Assert.Equal(20, commit.Length);
        Assert.Equal(TestContent.Of(120).ToArray(), await File.ReadAllBytesAsync(path));
        Assert.Throws<InvalidOperationException>(() => writer.GetMemory());
    }

    [Theory, EveryLog]
    public void Completing_flushes_what_is_left(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        FilePipeWriter writer = Logs.Open(path, portable, durability);
        writer.Write(TestContent.Of(100).Span);
        writer.Complete();
        writer.Complete();

        Assert.Equal(TestContent.Of(100).ToArray(), File.ReadAllBytes(path));
    }

    [Theory, EveryLog]
    public void Completing_with_an_exception_drops_what_is_left(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        FilePipeWriter writer = Logs.Open(path, portable, durability);
        writer.Write(TestContent.Of(100).Span);
        writer.Complete(new InvalidOperationException("The caller gave up."));

        Assert.Equal(0, new FileInfo(path).Length);
    }

    [Theory, EveryLog]
    public async Task Completing_while_a_flush_is_pending_waits_for_it_and_appends_the_rest(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        FilePipeWriter writer = Logs.Open(path, portable, durability);
        Task<FlushResult> flush = Logs.FlushLater(writer, TestContent.Of(100));
        Task completion = Task.Run(() => writer.Complete());
        Logs.LogOf(writer).Leave();
        await completion.Soon();
        await flush.Soon();

        Assert.Equal(TestContent.Of(100).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [Theory, EveryLog]
    public async Task A_second_flush_while_one_is_pending_is_refused(bool portable, Durability durability)
    {
        await using FilePipeWriter writer = Logs.Open(TestFolder.NewPath(), portable, durability);
        Task<FlushResult> flush = Logs.FlushLater(writer, TestContent.Of(100));

        await Assert.ThrowsAsync<InvalidOperationException>(() => writer.FlushAsync().AsTask());
        Assert.Throws<InvalidOperationException>(() => writer.GetMemory());

        Logs.LogOf(writer).Leave();
        await flush.Soon();
    }

    [Theory, EveryLog]
    public async Task Late_calls_are_refused(bool portable, Durability durability)
    {
        FilePipeWriter writer = Logs.Open(TestFolder.NewPath(), portable, durability);
        await writer.CompleteAsync();

        await Assert.ThrowsAsync<InvalidOperationException>(() => writer.FlushAsync().AsTask());
        await Assert.ThrowsAsync<InvalidOperationException>(() => writer.CommitAsync().AsTask());
        Assert.Throws<InvalidOperationException>(() => writer.GetSpan());
    }

    [NeedsTheory(Need.Linux), EveryLog]
    public async Task The_file_is_closed_with_its_last_writer(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        FilePipeWriter one = Logs.Open(path, portable, durability);
        FilePipeWriter other = Logs.Open(path, portable, durability);
        Assert.Equal(1, Linux.OpenDescriptors(path));
        await one.DisposeAsync();
        Assert.Equal(1, Linux.OpenDescriptors(path));
        await other.DisposeAsync();
        Assert.Equal(0, Linux.OpenDescriptors(path));
    }
    [NeedsTheory(Need.Linux), EveryLog]
    public async Task A_process_that_is_being_started_holds_nothing_of_a_closed_log(bool portable, Durability durability)
    {
        string path = TestFolder.NewPath();
        FilePipeWriter writer = Logs.Open(path, portable, durability);
        using SafeFileHandle inherited = Linux.Duplicate(Logs.LogOf(writer).File.Handle);
        await writer.DisposeAsync();

        using FileStream alone = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        Assert.Equal(0, alone.Length);
    }
}
