using Millrace.Buffers;
using Millrace.Interop;
using Millrace.Sources;

namespace Millrace.Tests.Mapped;

/// <summary>The promises of mapping beyond the contract of every strategy, in an undisturbed file.</summary>
public sealed class MappedReadingTests
{
    private const int Page = 4096;
    private const int Window = MappedSource.WindowBytes;

    [MappedFact]
    public async Task A_regular_file_is_mapped()
    {
        await using FilePipeReader reader = Mapping.OpenMapped(TestFolder.SharedFile(1));
        await reader.AssertRestAsync(0, 1);
        Assert.Equal(ReadStrategy.Mapped, reader.Strategy);
    }

    [MappedFact]
    public void Unconsumed_bytes_move_to_the_next_mapping()
    {
        // As with a file of several GiB, but of a size that a test can afford.
        const int Size = 6 * Window;
        string path = TestFolder.SharedFile(Size);
        foreach (int kept in (int[])[0, 1, Page, Window + 1])
        {
            using var file = new OpenFile(File.OpenHandle(path), path, default, ownsHandle: true);
            using MappedSource source = MappedSource.TryCreate(file, default, out _, regionBytes: Window)!;
            Window window = default;
            var parts = new HashSet<Block>();
            FillResult filled;
            do
            {
                filled = source.Fill(ref window);
                parts.Add(window.Block!);
                AssertHolds(window);
                window.Start = Math.Max(window.Start, window.End - kept);
                AssertHolds(window);
            }
            while (filled != FillResult.FilledLast);

            Assert.Equal(Size, window.EndOffset);
            Assert.True(parts.Count > 1);
            Assert.Equal(ReadStrategy.Mapped, source.Strategy);
            source.ReleaseWindow(ref window);
        }
    }

    [MappedFact]
    public async Task Memory_kept_after_the_reader_ended_throws()
    {
        FilePipeReader reader = Mapping.Open(TestFolder.SharedFile(Window));
        ReadResult result = await reader.ReadAsync().Soon();
        ReadOnlyMemory<byte> kept = result.Buffer.First;
        await reader.CompleteAsync();

        Assert.Throws<ObjectDisposedException>(() => kept.Span.Length);
    }

    [Fact]
    public void The_limit_of_buffered_bytes_holds_for_mapped_ones()
    {
        using FilePipeReader reader = Mapping.Open(
            TestFolder.SharedFile(2 * Window), new FileReadOptions { MaxBufferedBytes = 256 * 1024 });
        ReadResult result = reader.Read();
        reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);

        Fails.With(FilePipeError.BufferLimit, () => reader.Read());

        Assert.InRange(result.Buffer.Length, 1, 256 * 1024);
    }

    [MappedFact]
    public void A_file_that_is_not_in_memory_is_not_waited_for_on_the_callers_thread()
    {
        string path = TestFolder.NewFile(4 * Window);
        ColdFile.Evict(path);
        Assert.True(ColdFile.IsCold(path));
        using var file = new OpenFile(File.OpenHandle(path), path, default, ownsHandle: true);
        using MappedSource source = MappedSource.TryCreate(file, default, out _)!;
        Window window = default;

        Assert.Equal(FillResult.Pending, source.TryFill(ref window));

        Assert.Equal(0, window.Length);
        var bytes = new ArrayBufferWriter<byte>();
        FillResult filled;
        do
        {
            filled = source.Fill(ref window);
            bytes.Write(BytesOf(window));
            window.Start = window.End;
        }
        while (filled == FillResult.Filled);

        ReaderExtensions.AssertContent(0, 4 * Window, bytes.WrittenSpan);
        source.ReleaseWindow(ref window);
    }

    [MappedFact]
    public void Opening_reading_and_completing_allocates_less_than_a_KiB()
    {
        string path = TestFolder.SharedFile((2 * Window) + 1);
        const int Files = 100;
        ReadAll(path);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < Files; i++)
        {
            ReadAll(path);
        }

        Assert.InRange((GC.GetAllocatedBytesForCurrentThread() - before) / Files, 1, 1024);

        static void ReadAll(string path)
        {
            FilePipeReader reader = Mapping.Open(path);
            ReadResult result;
            do
            {
                result = reader.Read();
                reader.AdvanceTo(result.Buffer.End);
            }
            while (!result.IsCompleted);

            reader.Complete();
        }
    }

    private static unsafe ReadOnlySpan<byte> BytesOf(in Window window) =>
        new(window.Block!.Pointer + window.Start, window.Length);

    private static void AssertHolds(in Window window) =>
        ReaderExtensions.AssertContent(window.StartOffset, window.EndOffset, BytesOf(window));
}
