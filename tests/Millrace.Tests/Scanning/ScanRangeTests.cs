using System.Text;
using Millrace.Scanning;

namespace Millrace.Tests.Scanning;

/// <summary>Which ranges a file is cut into.</summary>
public sealed class ScanRangeTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(7)]
    public async Task Without_a_boundary_the_requested_number_of_even_ranges_is_made(int degree)
    {
        ScannedRange[] ranges = await ScannedRange.ScanAsync(TestFolder.SharedFile(1_000_003), degree);

        Assert.Equal(degree, ranges.Length);
        Assert.All(ranges, range => Assert.InRange(range.Length, 1_000_003 / degree, (1_000_003 / degree) + 1));
        ReaderExtensions.AssertContent(0, 1_000_003, ranges.SelectMany(range => range.Bytes).ToArray());
    }

    [Fact]
    public async Task There_are_no_more_ranges_than_bytes()
    {
        ScannedRange[] ranges = await ScannedRange.ScanAsync(TestFolder.SharedFile(3), int.MaxValue);

        Assert.Equal([1L, 1, 1], ranges.Select(range => range.Length));
    }

    [Fact]
    public async Task Large_files_have_more_ranges_than_readers()
    {
        string path = TestFolder.SharedFile(TestContent.MaxLength);
        int reading = 0;
        int most = 0;
        ScannedRange[] ranges = await FilePipe.ScanAsync(
            path,
            2,
            RecordBoundary.After(0),
            async (reader, token) =>
            {
                int now = Interlocked.Increment(ref reading);
                for (int seen = most; seen < now; seen = most)
                {
                    _ = Interlocked.CompareExchange(ref most, now, seen);
                }

                ScannedRange range = await ScannedRange.ReadAsync(reader, token);
                Interlocked.Decrement(ref reading);
                return range;
            }).Soon();

        Assert.Equal(8, ranges.Length);
        Assert.InRange(most, 1, 2);
        ReaderExtensions.AssertContent(0, TestContent.MaxLength, ranges.SelectMany(range => range.Bytes).ToArray());
    }

    [Fact]
    public async Task Degree_0_is_one_range_for_every_processor()
    {
        string path = TestFolder.SharedFile(2_000_000);

        ScannedRange[] ranges = await ScannedRange.ScanAsync(path, 0);

        Assert.Equal(
            Math.Min(Environment.ProcessorCount, 2_000_000 / RangeCutter.MinAutomaticRange), ranges.Length);
    }

    [Fact]
    public async Task Degree_0_does_not_divide_a_small_file()
    {
        int small = (int)(2 * RangeCutter.MinAutomaticRange) - 1;

        Assert.Single(await ScannedRange.ScanAsync(TestFolder.SharedFile(small), 0));
    }

    [Fact]
    public void A_negative_degree_is_rejected() =>
        Assert.Throws<ArgumentOutOfRangeException>("degree", () =>
        {
            _ = ScannedRange.ScanAsync(TestFolder.SharedFile(3), -1);
        });

    [Theory]
    [InlineData("one\ntwo\na line longer than a third of the file\n", 2, "one\ntwo\na line longer than a third of the file\n")]
    [InlineData("one\ntwo\na line longer than a third of the file\n", 20, "one\n", "two\n", "a line longer than a third of the file\n")]
    [InlineData("abc\ndef\n", 2, "abc\n", "def\n")]
    [InlineData("\n\n\n\n\n\n", 3, "\n\n", "\n\n", "\n\n")]
    [InlineData("abcd\nefgh\nijk", 2, "abcd\nefgh\n", "ijk")]
    public async Task A_line_belongs_to_the_range_that_it_begins_in(string text, int degree, params string[] expected) =>
        Assert.Equal(expected, await LinesAsync(Write(text), degree));

    [Fact]
    public async Task A_file_without_a_boundary_is_one_range()
    {
        string path = TestFolder.NewPath();
        await File.WriteAllBytesAsync(path, new byte[2_000_000]);

        Assert.Equal(2_000_000, Assert.Single(await ScannedRange.ScanAsync(path, 8, RecordBoundary.Lines)).Length);
        File.Delete(path);
    }

    [Fact]
    public async Task An_empty_file_is_one_call_with_nothing_to_read()
    {
        ScannedRange range = Assert.Single(await ScannedRange.ScanAsync(TestFolder.SharedFile(0), 4, RecordBoundary.Lines));

        Assert.Empty(range.Bytes);
        Assert.Equal(0, range.Length);
    }

    [Fact]
    public async Task A_part_after_the_end_is_one_call_with_nothing_to_read()
    {
        ScannedRange range = Assert.Single(await ScannedRange.ScanAsync(
            TestFolder.SharedFile(1_000), 4, default, new FileReadOptions { Offset = 2_000, Length = 10 }));

        Assert.Empty(range.Bytes);
        Assert.Equal(2_000, range.Start);
    }

    [Fact]
    public async Task A_part_begins_and_ends_records_regardless_of_the_boundary()
    {
        string path = Write("first\nsecond\nthird\nfourth\n");

        Assert.Equal(
            ["cond\nthird\n", "fou"], await LinesAsync(path, 2, new FileReadOptions { Offset = 8, Length = 14 }));
    }

    [Fact]
    public async Task Fixed_size_records_begin_after_the_header()
    {
        string path = Write("HEADERaaaabbbbccccdddd");

        Assert.Equal(
            ["HEADERaaaa", "bbbb", "ccccdddd"], await TextAsync(path, 3, RecordBoundary.Every(4, first: 6)));
        Assert.Equal(
            ["aaaabbbb", "ccccdddd"],
            await TextAsync(path, 2, RecordBoundary.Every(4, first: 6), new FileReadOptions { Offset = 6 }));
    }

    [Fact]
    public async Task A_predicate_gets_the_offset_and_at_most_the_requested_bytes()
    {
        string path = Write("#aaa#bbb#ccc#ddd");
        byte[] content = await File.ReadAllBytesAsync(path);
        int wrong = 0;
        RecordBoundary boundary = RecordBoundary.Where(
            (offset, following) =>
            {
                if (!following.SequenceEqual(content.AsSpan((int)offset, Math.Min(3, content.Length - (int)offset))))
                {
                    Interlocked.Increment(ref wrong);
                }

                return following[0] == '#';
            },
            lookAhead: 3);

        Assert.Equal(["#aaa#bbb", "#ccc", "#ddd"], await TextAsync(path, 3, boundary));
        Assert.Equal(0, wrong);
    }

    [Fact]
    public async Task A_predicate_gets_no_bytes_after_the_part()
    {
        string path = Write("#aa#bb#cc");
        RecordBoundary boundary = RecordBoundary.Where((_, following) => following.StartsWith("#b"u8), lookAhead: 2);

        Assert.Equal(["#aa#"], await TextAsync(path, 4, boundary, new FileReadOptions { Length = 4 }));
        Assert.Equal(["#aa", "#b"], await TextAsync(path, 5, boundary, new FileReadOptions { Length = 5 }));
    }

    [Fact]
    public async Task Results_are_combined_from_left_to_right()
    {
        string path = Write("1\n2\n3\n4\n");

        string combined = await FilePipe.ScanAsync(
            path,
            4,
            RecordBoundary.Lines,
            async (reader, _) => Text.Of(await reader.ReadToEndAsync()).TrimEnd(),
            (left, right) => $"({left}+{right})").Soon();

        Assert.Equal("(((1+2)+3)+4)", combined);
    }

    [Fact]
    public async Task A_single_range_is_not_combined()
    {
        int length = await FilePipe.ScanAsync(
            TestFolder.SharedFile(0),
            4,
            RecordBoundary.Lines,
            async (reader, _) => (await reader.ReadToEndAsync()).Length,
            (_, _) => throw new InvalidOperationException("There is one result.")).Soon();

        Assert.Equal(0, length);
    }

    [Fact]
    public async Task Cutting_a_large_file_reads_almost_nothing()
    {
        // A TiB, all of it a hole but for the ends of lines: reading a part of it would take minutes.
        const long Size = 1L << 40;
        string path = TestFolder.NewPath();
        await using (FileStream file = File.Create(path))
        {
            file.SetLength(Size);
            for (int part = 1; part < 32; part++)
            {
                file.Position = (Size / 32 * part) + 10_000;
                file.WriteByte((byte)'\n');
            }
        }

        (long Start, long Length)[] ranges = await FilePipe.ScanAsync(
            path, 4, RecordBoundary.Lines, ScannedRange.LocateAsync).Soon();

        Assert.Equal(
            Enumerable.Range(0, 32).Select(part => part == 0 ? 0 : (Size / 32 * part) + 10_001),
            ranges.Select(range => range.Start));
        Assert.Equal(Size, ranges.Sum(range => range.Length));
        File.Delete(path);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_fifo_is_one_range(ReadStrategy strategy, bool portable)
    {
        using var fifo = new Fifo();
        var opened = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<ScannedRange[]> scan = FilePipe.ScanAsync(
            fifo.Path,
            4,
            RecordBoundary.Lines,
            (reader, cancellationToken) =>
            {
                opened.SetResult();
                return ScannedRange.ReadAsync(reader, cancellationToken);
            },
            new FileReadOptions { Strategy = strategy, Portable = portable }).Soon();
        await opened.Task.Soon();
        fifo.Write("one\ntwo\n"u8);
        await Task.Run(fifo.Dispose);

        Assert.Equal("one\ntwo\n", Text.Of(Assert.Single(await scan).Bytes));
    }

    [Fact]
    public async Task A_file_of_proc_is_one_range()
    {
        if (OperatingSystem.IsLinux())
        {
            ScannedRange range = Assert.Single(await ScannedRange.ScanAsync("/proc/self/maps", 4, RecordBoundary.Lines));
            Assert.Contains("Millrace", Text.Of(range.Bytes), StringComparison.Ordinal);
        }
    }

    private static string Write(string text)
    {
        string path = TestFolder.NewPath(".txt");
        File.WriteAllText(path, text, Encoding.Latin1);
        return path;
    }

    private static Task<string[]> LinesAsync(string path, int degree, FileReadOptions options = default) =>
        TextAsync(path, degree, RecordBoundary.Lines, options);

    private static async Task<string[]> TextAsync(
        string path, int degree, RecordBoundary boundary, FileReadOptions options = default) =>
        [.. (await ScannedRange.ScanAsync(path, degree, boundary, options)).Select(range => Text.Of(range.Bytes))];
}
