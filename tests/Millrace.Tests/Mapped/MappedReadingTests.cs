using FsCheck;
using FsCheck.Fluent;
using Millrace.Buffers;
using Millrace.Interop;
using Millrace.Sources;

namespace Millrace.Tests.Mapped;

/// <summary>Every byte, from the right place, in one segment, without anybody disturbing the file.</summary>
public sealed class MappedReadingTests
{
    private const int Page = 4096;
    private const int Window = MappedSource.WindowBytes;

    public static TheoryData<int, int> SizesAndBuffers
    {
        get
        {
            var data = new TheoryData<int, int>();
            foreach (int size in (int[])
                [0, 1, Page - 1, Page, Page + 1, Window - 1, Window, Window + 1, (2 * Window) - 1, (5 * Window) + 12345])
            {
                data.Add(size, 0);
                data.Add(size, 65536);
            }

            return data;
        }
    }

    [Theory, MemberData(nameof(SizesAndBuffers))]
    public async Task Files_of_every_size_are_read_to_their_end(int size, int bufferSize)
    {
        await using FilePipeReader reader = Mapping.Open(
            TestFolder.SharedFile(size), new FileReadOptions { BufferSize = bufferSize });

        await reader.AssertRestAsync(0, size);
    }

    [Theory, MemberData(nameof(SizesAndBuffers))]
    public void Synchronous_reads_give_the_same(int size, int bufferSize)
    {
        using FilePipeReader reader = Mapping.Open(
            TestFolder.SharedFile(size), new FileReadOptions { BufferSize = bufferSize });
        var bytes = new ArrayBufferWriter<byte>();
        ReadResult result;
        do
        {
            result = reader.Read();
            bytes.Write(result.Buffer.FirstSpan);
            reader.AdvanceTo(result.Buffer.End);
        }
        while (!result.IsCompleted);

        ReaderExtensions.AssertContent(0, size, bytes.WrittenSpan);
    }

    [Fact]
    public async Task A_regular_file_is_mapped()
    {
        if (Mapping.Possible)
        {
            await using FilePipeReader reader = Mapping.OpenMapped(TestFolder.SharedFile(1));
            await reader.AssertRestAsync(0, 1);
            Assert.Equal(ReadStrategy.Mapped, reader.Strategy);
        }
    }

    [Fact]
    public async Task A_record_as_long_as_the_file_is_one_segment_that_never_moves()
    {
        const int Size = (6 * Window) + 7;
        await using FilePipeReader reader = Mapping.Open(TestFolder.SharedFile(Size));
        ReadResult result;
        do
        {
            result = await reader.ReadAsync().Soon();
            Assert.True(result.Buffer.IsSingleSegment);
            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        }
        while (!result.IsCompleted);

        result = await reader.ReadAsync().Soon();
        ReaderExtensions.AssertContent(0, Size, result.Buffer.FirstSpan);
    }

    [Fact]
    public async Task Any_part_of_a_file_can_be_read()
    {
        const int Size = (3 * Window) + 17;
        string path = TestFolder.SharedFile(Size);
        int[] places = [0, 1, Page, Window - 1, Window, Window + 1, (2 * Window) + Page + 3, Size - 1, Size, Size + 5];
        foreach (int start in places)
        {
            foreach (int end in places.Where(place => place >= start))
            {
                await using FilePipeReader reader = Mapping.Open(
                    path, new FileReadOptions { Offset = start, Length = end - start });
                await reader.AssertRestAsync(Math.Min(start, Size), Math.Min(end, Size));
            }
        }
    }

    [Fact]
    public void Any_sequence_of_reads_advances_and_seeks_returns_the_right_bytes()
    {
        const int Size = (4 * Window) + 4321;
        string path = TestFolder.SharedFile(Size);
        Gen<(int Step, int Amount)> step = Gen.Choose(0, 9).SelectMany(
            _ => Gen.Choose(0, Size), (kind, amount) => (kind, amount));
        Prop.ForAll(
            Gen.ListOf(step, 60).ToArbitrary(),
            steps =>
            {
                using FilePipeReader reader = Mapping.Open(path, new FileReadOptions { BufferSize = 100_000 });
                foreach ((int kind, int amount) in steps)
                {
                    if (kind == 0)
                    {
                        reader.Seek(amount);
                        continue;
                    }

                    long position = reader.Position;
                    ReadResult result = reader.Read();
                    ReadOnlySpan<byte> bytes = result.Buffer.FirstSpan;
                    ReaderExtensions.AssertContent(position, position + bytes.Length, bytes);
                    int consumed = kind < 4 ? 0 : amount % (bytes.Length + 1);
                    reader.AdvanceTo(result.Buffer.GetPosition(consumed), result.Buffer.End);
                }
            }).Check(Config.QuickThrowOnFailure.WithMaxTest(40));
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

    [Fact]
    public async Task Memory_kept_after_the_reader_ended_throws()
    {
        FilePipeReader reader = Mapping.Open(TestFolder.SharedFile(Window));
        ReadResult result = await reader.ReadAsync().Soon();
        ReadOnlyMemory<byte> kept = result.Buffer.First;
        await reader.CompleteAsync();

        if (Mapping.Possible)
        {
            Assert.Throws<ObjectDisposedException>(() => kept.Span.Length);
        }
    }

    [Fact]
    public void The_limit_of_buffered_bytes_holds_for_mapped_ones()
    {
        using FilePipeReader reader = Mapping.Open(
            TestFolder.SharedFile(2 * Window), new FileReadOptions { MaxBufferedBytes = 256 * 1024 });
        ReadResult result = reader.Read();
        reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);

        FilePipeException exception = Assert.Throws<FilePipeException>(() => reader.Read());

        Assert.Equal(FilePipeError.BufferLimit, exception.Error);
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

    [Fact]
    public async Task Asynchronous_reads_of_evicted_files_are_correct()
    {
        string path = TestFolder.NewFile((5 * Window) + 99);
        ColdFile.Evict(path);
        await using FilePipeReader reader = Mapping.Open(path);

        await reader.AssertRestAsync(0, (5 * Window) + 99);
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
