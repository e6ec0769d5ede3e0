using Microsoft.Win32.SafeHandles;
using Millrace.Sources;

namespace Millrace.Tests.Mapped;

/// <summary>Others write to a file of which this process holds mapped bytes.</summary>
public sealed class LeaseBreakTests
{
    private const int Window = MappedSource.WindowBytes;
    private const int Size = (4 * Window) + 777;

    private static readonly Dictionary<string, Action<string>> Truncations = new()
    {
        ["truncate"] = path => Writers.TruncateByName(path, 100),
        ["truncate to nothing"] = path => Writers.TruncateByName(path, 0),
        ["truncate within the window"] = path => Writers.TruncateByName(path, Window / 2),
        ["open with O_TRUNC"] = Writers.OpenTruncating,
        ["open and ftruncate"] = path => Writers.OpenAndTruncate(path, 5000),
        ["FileMode.Create"] = Writers.CreateByFramework,
    };

    public static TheoryData<string> WaysToTruncate => [.. Truncations.Keys];

    [MappedTheory, MemberData(nameof(WaysToTruncate))]
    public async Task Bytes_handed_out_before_a_truncation_stay_what_they_were(string way)
    {
        string path = TestFolder.NewFile(Size);
        await using FilePipeReader reader = Mapping.OpenMapped(path);
        ReadResult held = await reader.HoldAsync(Window + 1);

        await InBackground(() => Truncations[way](path)).Soon();

        held.AssertStarts(0, Window + 1);
        reader.AdvanceTo(held.Buffer.Start, held.Buffer.End);
        FilePipeException exception = await Fails.WithAsync(FilePipeError.Truncated, () => reader.ReadAsync().Soon());
        Assert.Equal(held.Buffer.Length, exception.Offset);

        // The buffered bytes are still there and unchanged.
        Assert.True(reader.TryRead(out ReadResult still) || reader.Position == 0);
        reader.CancelPendingRead();
        still = await reader.ReadAsync().Soon();
        still.AssertStarts(0, Window + 1);
    }

    [MappedFact]
    public async Task A_file_opened_for_writing_by_others_is_read_to_its_end()
    {
        string path = TestFolder.NewFile(Size);
        await using FilePipeReader reader = Mapping.OpenMapped(path);
        ReadResult held = await reader.HoldAsync(1);

        await InBackground(() => Writers.OpenOnly(path)).Soon();

        held.AssertStarts(0);
        reader.AdvanceTo(held.Buffer.GetPosition(1000), held.Buffer.End);
        await reader.AssertRestAsync(1000, Size);
        Assert.Equal(ReadStrategy.Buffered, reader.Strategy);
        Assert.Equal(
            $"mapped up to offset {held.Buffer.Length}, then read: the file was about to be changed",
            reader.StrategyReason);
    }

    [MappedFact]
    public async Task A_file_that_was_overwritten_is_reported_at_its_end()
    {
        string path = TestFolder.NewFile(Size);
        await using FilePipeReader reader = Mapping.OpenMapped(path);
        ReadResult held = await reader.HoldAsync(1);

        await InBackground(() => Writers.Overwrite(path, TestContent.Inverted(Size))).Soon();

        held.AssertStarts(0);
        reader.AdvanceTo(held.Buffer.End);
        await Fails.WithAsync(FilePipeError.Changed, async () => await reader.CopyToAsync(Stream.Null).Soon());
    }

    [MappedFact]
    public async Task Records_survive_the_change_from_mapping_to_reading()
    {
        foreach (int kept in (int[])[0, 1, 4096, 262144, 262145, Window, (2 * Window) - 1])
        {
            string path = TestFolder.NewFile(Size);
            await using FilePipeReader reader = Mapping.OpenMapped(path);
            ReadResult held = await reader.HoldAsync(Window + 1);
            long start = held.Buffer.Length - kept;
            reader.AdvanceTo(held.Buffer.GetPosition(start), held.Buffer.End);

            await InBackground(() => Writers.OpenOnly(path)).Soon();

            ReadResult next = await reader.ReadAtLeastAsync(kept + 1).Soon();
            next.AssertStarts(start, kept + 1);
            reader.AdvanceTo(next.Buffer.Start);
            await reader.AssertRestAsync(start, Size);
        }
    }

    [MappedFact]
    public async Task Seeking_works_after_a_break()
    {
        string path = TestFolder.NewFile(Size);
        await using FilePipeReader reader = Mapping.OpenMapped(path);
        _ = await reader.HoldAsync(1);
        await InBackground(() => Writers.OpenOnly(path)).Soon();

        reader.Seek(Size - 10);
        await reader.AssertRestAsync(Size - 10, Size);
        reader.Seek(3);
        await reader.AssertRestAsync(3, Size);
    }

    [MappedFact]
    public async Task A_file_renamed_over_or_deleted_stays_mapped_to_its_end()
    {
        string path = TestFolder.NewFile(Size);
        await using FilePipeReader replaced = Mapping.OpenMapped(path);
        _ = await replaced.HoldAsync(1);
        File.Move(TestFolder.NewFile(10), path, overwrite: true);
        await using FilePipeReader deleted = Mapping.OpenMapped(path);
        File.Delete(path);

        replaced.Seek(0);
        await replaced.AssertRestAsync(0, Size);
        await deleted.AssertRestAsync(0, 10);

        Assert.Equal(ReadStrategy.Mapped, replaced.Strategy);
        Assert.Equal(ReadStrategy.Mapped, deleted.Strategy);
    }

    [MappedFact]
    public async Task The_thread_that_reads_may_itself_open_the_file_for_writing()
    {
        string path = TestFolder.NewFile(Size);
        await InBackground(
            () =>
            {
                using FilePipeReader reader = Mapping.OpenMapped(path);
                ReadResult held = reader.Read();
                Writers.OpenTruncating(path);
                held.AssertStarts(0);
            }).Soon();
    }

    [MappedFact]
    public async Task Every_reader_of_a_file_keeps_its_own_bytes()
    {
        string path = TestFolder.NewFile(Size);
        FilePipeReader[] readers = [.. Enumerable.Range(0, 8).Select(_ => Mapping.OpenMapped(path))];
        var held = new List<ReadResult>();
        for (int i = 0; i < readers.Length; i++)
        {
            readers[i].Seek(i * 1_000_001);
            held.Add(await readers[i].ReadAsync().Soon());
        }

        await InBackground(() => Writers.OpenTruncating(path)).Soon();

        for (int i = 0; i < readers.Length; i++)
        {
            held[i].AssertStarts(i * 1_000_001);
            await readers[i].CompleteAsync();
        }
    }

    [MappedFact]
    public async Task A_nonblocking_writer_is_rejected_once_and_then_admitted()
    {
        string path = TestFolder.NewFile(Size);
        await using FilePipeReader reader = Mapping.OpenMapped(path);
        ReadResult held = await reader.HoldAsync(1);

        Assert.False(Writers.TryOpenOnly(path));

        await Bounded.UntilAsync(() => Writers.TryOpenOnly(path));
        held.AssertStarts(0);
    }

    [Fact]
    public async Task A_completed_reader_delays_no_writer()
    {
        string path = TestFolder.NewFile(Size);
        FilePipeReader reader = Mapping.Open(path);
        _ = await reader.HoldAsync(1);
        await reader.CompleteAsync();

        Assert.True(!OperatingSystem.IsLinux() || Writers.TryOpenOnly(path));
    }

    [Fact]
    public async Task A_handle_left_open_delays_no_writer()
    {
        string path = TestFolder.NewFile(Size);
        using SafeFileHandle handle = File.OpenHandle(path);
        FilePipeReader reader = FilePipe.OpenRead(
            handle, new FileReadOptions { Strategy = ReadStrategy.Mapped, LeaveOpen = true });
        _ = await reader.HoldAsync(1);
        await reader.CompleteAsync();

        Assert.False(handle.IsClosed);
        Assert.True(!OperatingSystem.IsLinux() || Writers.TryOpenOnly(path));
    }

    [MappedFact]
    public async Task A_thousand_leases_are_released_at_once()
    {
        const int Files = 1000;
        const int Bytes = 50_000;
        var readers = new FilePipeReader[Files];
        string[] paths = [.. Enumerable.Range(0, Files).Select(_ => TestFolder.NewFile(Bytes))];
        var held = new ReadResult[Files];
        for (int i = 0; i < Files; i++)
        {
            readers[i] = Mapping.OpenMapped(paths[i]);
            held[i] = await readers[i].HoldAsync(Bytes);
        }

        await InBackground(() => Parallel.ForEach(paths, Writers.OpenTruncating)).Soon();

        for (int i = 0; i < Files; i++)
        {
            held[i].AssertStarts(0, Bytes);
            await readers[i].CompleteAsync();
        }
    }

    [MappedFact]
    public async Task Completing_admits_a_waiting_writer()
    {
        const int Rounds = 300;
        var random = new Random(3);
        string path = TestFolder.NewFile(Size);
        using var begin = new Barrier(2);
        Task writer = InBackground(
            () =>
            {
                for (int i = 0; i < Rounds; i++)
                {
                    begin.SignalAndWait();
                    Writers.OpenOnly(path);
                }
            });
        for (int i = 0; i < Rounds; i++)
        {
            FilePipeReader reader = Mapping.Open(path);
            ReadResult held = await reader.HoldAsync(1);
            Assert.True(begin.SignalAndWait(Bounded.Patience));
            Thread.SpinWait(random.Next(20_000));
            if (i % 3 == 0)
            {
                held.AssertStarts(0);
                reader.AdvanceTo(held.Buffer.End);
                _ = await reader.ReadAsync().Soon();
            }

            await reader.CompleteAsync();
        }

        await writer.Soon();
    }

    [MappedFact]
    public async Task Reading_and_seeking_beside_writers_returns_the_files_bytes()
    {
        string path = TestFolder.NewFile(Size);
        using var stop = new CancellationTokenSource();
        Task writer = InBackground(
            () =>
            {
                while (!stop.IsCancellationRequested)
                {
                    Writers.OpenOnly(path);
                    Thread.SpinWait(50_000);
                }
            });
        var random = new Random(4);
        for (int i = 0; i < 200; i++)
        {
            await using FilePipeReader reader = Mapping.Open(path);
            for (int step = 0; step < 4; step++)
            {
                int start = random.Next(Size);
                reader.Seek(start);
                (await reader.ReadAsync().Soon()).AssertStarts(start);
                _ = reader.TryRead(out ReadResult _);
            }
        }

        await stop.CancelAsync();
        await writer.Soon();
    }

    /// <summary>On a dedicated thread: writers wait for the lease, and the pool is for work that must not wait.</summary>
    private static Task InBackground(Action action) =>
        Task.Factory.StartNew(
            action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
