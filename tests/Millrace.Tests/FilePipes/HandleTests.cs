using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.FilePipes;

/// <summary>Reading a handle that the caller opened.</summary>
public sealed class HandleTests
{
    private const int Length = 600_001;

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task The_position_of_the_handle_is_neither_used_nor_moved(ReadStrategy strategy, bool portable)
    {
        using SafeFileHandle handle = Open();
        Linux.SetPosition(handle, 12_345);
        await using (FilePipeReader reader = FilePipe.OpenRead(
            handle, new FileReadOptions { Strategy = strategy, Portable = portable, LeaveOpen = true }))
        {
            Assert.Equal(0, reader.Position);
            await reader.AssertRestAsync(0, Length);
        }

        Assert.Equal(12_345, Linux.GetPosition(handle));
    }

    [Theory, EveryValue]
    public async Task The_handle_is_closed_with_the_reader(ReadStrategy strategy, bool portable)
    {
        SafeFileHandle handle = Open();
        FilePipeReader reader = FilePipe.OpenRead(
            handle, new FileReadOptions { Strategy = strategy, Portable = portable });
        await reader.SkipAsync(100);

        await reader.CompleteAsync();

        // A read that is in flight on another thread keeps it open until it returns.
        Assert.True(SpinWait.SpinUntil(() => handle.IsClosed, Bounded.Patience));
    }

    [Theory, EveryValue]
    public async Task A_handle_that_is_left_open_can_be_read_again(ReadStrategy strategy, bool portable)
    {
        using SafeFileHandle handle = Open();
        var options = new FileReadOptions { Strategy = strategy, Portable = portable, LeaveOpen = true };
        for (int turn = 0; turn < 2; turn++)
        {
            await using FilePipeReader reader = FilePipe.OpenRead(handle, options);
            await reader.AssertRestAsync(0, Length);
        }

        Assert.False(handle.IsClosed);
    }

    [Theory, EveryValue]
    public async Task Two_readers_of_one_handle_do_not_disturb_each_other(ReadStrategy strategy, bool portable)
    {
        using SafeFileHandle handle = Open();
        var options = new FileReadOptions { Strategy = strategy, Portable = portable, LeaveOpen = true };
        await using FilePipeReader one = FilePipe.OpenRead(handle, options);
        await using FilePipeReader two = FilePipe.OpenRead(handle, options with { Offset = 300_000 });
        for (int i = 0; i < 5; i++)
        {
            await one.SkipAsync(50_000);
            await two.SkipAsync(50_000);
        }

        await one.AssertRestAsync(250_000, Length);
        await two.AssertRestAsync(550_000, Length);
    }

    [Fact]
    public async Task The_path_of_a_handle_is_empty()
    {
        await using FilePipeReader reader = FilePipe.OpenRead(Open());

        Assert.Equal("", reader.Path);
    }

    [Fact]
    public void A_missing_closed_or_invalid_handle_is_rejected()
    {
        SafeFileHandle closed = Open();
        closed.Dispose();
        using var invalid = new SafeFileHandle(-1, ownsHandle: false);

        Assert.Throws<ArgumentNullException>(() => FilePipe.OpenRead((SafeFileHandle)null!));
        Assert.Throws<ArgumentException>(() => FilePipe.OpenRead(closed));
        Assert.Throws<ArgumentException>(() => FilePipe.OpenRead(invalid));
    }

    [Fact]
    public void Following_a_handle_by_name_is_rejected_and_leaves_it_open()
    {
        using SafeFileHandle handle = Open();

        Assert.Throws<ArgumentException>(
            () => FilePipe.OpenRead(handle, new FileReadOptions { Follow = FollowMode.Name }));

        Assert.False(handle.IsClosed);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public void A_handle_of_a_folder_is_rejected_and_left_open(bool portable)
    {
        using SafeFileHandle handle = Linux.OpenForReading(TestFolder.Root);

        Fails.With(FilePipeError.IsDirectory, () => FilePipe.OpenRead(handle, new FileReadOptions { Portable = portable }));

        Assert.False(handle.IsClosed);
    }

    private static SafeFileHandle Open() => File.OpenHandle(TestFolder.SharedFile(Length));
}
