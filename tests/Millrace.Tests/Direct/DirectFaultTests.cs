using Microsoft.Win32.SafeHandles;
using Millrace.Sources;

namespace Millrace.Tests.Direct;

/// <summary>Kernels that refuse, at once or later on.</summary>
public class DirectFaultTests
{
    private const int Size = (10 * 1024 * 1024) + 5;
    private const uint SetUpRing = 425; // io_uring_setup
    private const uint EnterRing = 426; // io_uring_enter

    public static TheoryData<string> Engines => DirectReaders.EngineData;

    [NeedsTheory(Need.Linux)]
    [InlineData(SetUpRing, 1, "Operation not permitted")]
    [InlineData(SetUpRing, 38, "Function not implemented")]
    [InlineData(EnterRing, 1, "Operation not permitted")]
    public async Task A_rejected_ring_is_detected_on_creation(uint call, uint error, string why)
    {
        string? refusal = null;
        DirectRing? ring = null;
        var done = new TaskCompletionSource();
        var thread = new Thread(() =>
        {
            try
            {
                DirectNative.RefuseToThisThread(call, error);
                refusal = DirectRing.TryStart(out ring);
                done.SetResult();
            }
            catch (Exception exception)
            {
                done.SetException(exception);
            }
        });
        thread.Start();
        await done.Task.Soon();
        Assert.Null(ring);
        Assert.Contains(why, refusal);
    }

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task Bytes_rejected_by_direct_reads_are_read_through_the_page_cache(string engine)
    {
        string path = DirectReaders.NewFile(Size);
        using FilePipeReader reader = DirectReaders.Open(engine, path);
        await reader.SkipAsync(77);
        using SafeFileHandle folder = Linux.OpenForReading("/");
        DirectNative.Replace(Assert.Single(DirectReaders.DirectDescriptors(path)), folder);
        await reader.AssertRestAsync(77, Size);
    }

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task A_failing_device_is_reported_with_the_offset(string engine)
    {
        string path = DirectReaders.NewFile(Size);
        using FilePipeReader reader = DirectReaders.Open(engine, path);
        await reader.SkipAsync(77);

        // The same file, so that a block that is looked at just now has not lost its end, but a descriptor that no read accepts.
        int[] descriptors = Linux.Descriptors(path);
        using SafeFileHandle unreadable = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
        foreach (int descriptor in descriptors)
        {
            DirectNative.Replace(descriptor, unreadable);
        }

        long offset = 77;
        FilePipeException exception = await Fails.WithAsync(FilePipeError.ReadFailed, async () =>
        {
            while (true)
            {
                ReadResult result = await reader.ReadAsync().Soon();
                result.AssertStarts(offset);
                offset += result.Buffer.Length;
                reader.AdvanceTo(result.Buffer.End);
            }
        });
        Assert.Equal(path, exception.Path);
        Assert.Equal(offset, exception.Offset);
    }

    [NeedsFact(Need.Linux)]
    public async Task A_handle_closed_by_its_owner_is_reported_at_the_end()
    {
        string path = DirectReaders.NewFile(Size);
        SafeFileHandle handle = Linux.OpenForReading(path);
        var options = new FileReadOptions { Strategy = ReadStrategy.Direct, LeaveOpen = true };
        using FilePipeReader reader = FilePipe.OpenRead(handle, options);
        await reader.SkipAsync(1);
        handle.Dispose();
        await Fails.WithAsync(FilePipeError.ReadFailed, () => reader.ReadToEndAsync());
    }

    [NeedsFact(Need.Linux)]
    public async Task A_ring_that_breaks_is_replaced_by_threads_without_losing_a_byte()
    {
        if (!DirectReaders.Engines.Contains(DirectReaders.Ring))
        {
            return;
        }

        Assert.Null(DirectRing.TryStart(out DirectRing? ring));
        string path = DirectReaders.NewFile(Size);
        using FilePipeReader reader = DirectReaders.Open(ring!, path);
        using FilePipeReader later = DirectReaders.Open(ring!, path);
        await reader.SkipAsync(1000);
        using SafeFileHandle nothing = Linux.OpenForReading("/dev/null");
        DirectNative.Replace(ring!.Descriptor, nothing);
        await reader.AssertRestAsync(1000, Size);
        await later.AssertRestAsync(0, Size);
        Assert.True(ring.Broken);
        using FilePipeReader last = DirectReaders.Open(ring, path);
        await last.AssertRestAsync(0, Size);
    }
}
