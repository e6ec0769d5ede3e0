namespace Millrace.Tests.FilePipes;

/// <summary>
/// A source may call when the read that it was armed for is over and another one waits: that call finds nothing, and
/// the read has to go on waiting, as one that can still be canceled.
/// </summary>
public sealed class LateCallTests
{
    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_late_call_leaves_a_read_of_a_fifo_waiting(bool portable)
    {
        using var fifo = new Fifo();
        await using FilePipeReader reader = FilePipe.OpenRead(fifo.Path, new FileReadOptions { Portable = portable });
        ValueTask<ReadResult> read = reader.ReadAsync();

        reader.Waiter!.OnReady();
        Assert.False(read.IsCompleted);
        reader.CancelPendingRead();

        Assert.True((await read.Soon()).IsCanceled);
        ValueTask<ReadResult> second = reader.ReadAsync();
        reader.Waiter!.OnReady();
        reader.Waiter!.OnReady();
        fifo.Write(TestContent.Of(100).Span);
        (await second.Soon()).AssertStarts(0);
    }

    [Theory, EveryValue]
    public async Task A_late_call_leaves_a_read_of_a_followed_file_waiting(bool portable)
    {
        string path = TestFolder.NewFile(100);
        await using FilePipeReader reader = FilePipe.OpenRead(
            path, new FileReadOptions { Follow = FollowMode.Descriptor, Portable = portable });
        await reader.SkipAsync(100);
        ValueTask<ReadResult> read = reader.ReadAsync();

        reader.Waiter!.OnReady();
        Assert.False(read.IsCompleted);
        reader.CancelPendingRead();

        Assert.True((await read.Soon()).IsCanceled);
    }
}
