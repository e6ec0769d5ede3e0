using Millrace.Interop;

namespace Millrace.Tests.Appending;

/// <summary>Incomplete records at the end of a file that is opened for appending.</summary>
public sealed class TornTailTests
{
    public static TheoryData<string, long, bool> LineEnds { get; } = new()
    {
        { "", 0, false },
        { "one\n", 4, false },
        { "one\ntwo\n", 8, false },
        { "one\ntwo", 4, true },
        { "on", 0, true },
        { "one\n\0\0\0\0", 4, true },
        { "one\nt\0\0", 4, true },
        { "one\n" + new string('x', 5000), 4, true },
        { "one\n" + new string('x', 200_000), 4, true },
        { new string('x', 70_000) + "\n" + new string('x', 4095), 70_001, true },
        { new string('x', 70_000) + "\n" + new string('x', 4096), 70_001, true },
        { new string('x', 70_000) + "\n" + new string('x', 4096 + 65536), 70_001, true },
        { new string('x', 200_000), 0, true },
        { "\0\0\0\0", 0, true },
    };

    [Theory, MemberData(nameof(LineEnds))]
    public async Task Line_without_end_is_rejected_and_then_kept_or_cut_off_as_requested(string content, long end, bool torn)
    {
        foreach (bool portable in (bool[])[false, true])
        {
            string path = Write(content);
            var options = new FileAppendOptions { Boundary = RecordBoundary.Lines, Portable = portable };
            if (torn)
            {
                FilePipeException refused = Fails.With(FilePipeError.TornTail, () => FilePipe.Append(path, options));
                Assert.Equal(end, refused.Offset);
                Assert.Equal(path, refused.Path);
                Assert.Equal(content, await File.ReadAllTextAsync(path));
            }

            await using (FileAppendWriter writer = FilePipe.Append(path, options with { TornTail = TornTailAction.Keep }))
            {
                Assert.Equal(torn ? new TornTail(end, content.Length - end) : null, writer.TornTail);
            }

            Assert.Equal(content, await File.ReadAllTextAsync(path));
            await using (FileAppendWriter writer = FilePipe.Append(path, options with { TornTail = TornTailAction.Truncate }))
            {
                Assert.Equal(torn, writer.TornTail is not null);
                await writer.WriteAsync(Text.Bytes("more\n"));
                Assert.Equal(end, writer.LastFlushOffset);
            }

            Assert.Equal(content[..(int)end] + "more\n", await File.ReadAllTextAsync(path));
        }
    }

    [Theory, EveryValue]
    public async Task Records_are_appended_to_a_line_without_end_if_it_is_kept(bool portable)
    {
        string path = Write("one\ntw");
        var options = new FileAppendOptions { Boundary = RecordBoundary.Lines, TornTail = TornTailAction.Keep, Portable = portable };
        await using (FileAppendWriter writer = FilePipe.Append(path, options))
        {
            await writer.WriteAsync(Text.Bytes("o\n"));
        }

        Assert.Equal("one\ntwo\n", await File.ReadAllTextAsync(path));
    }

    [Fact]
    public void Zeroes_end_a_record_whose_delimiter_is_zero()
    {
        string path = Write("one\0two\0\0");
        using FileAppendWriter writer = FilePipe.Append(path, new FileAppendOptions { Boundary = RecordBoundary.After(0) });

        Assert.Null(writer.TornTail);
    }

    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(10, 0, 10)]
    [InlineData(19, 0, 10)]
    [InlineData(20, 0, 20)]
    [InlineData(4, 4, 4)]
    [InlineData(3, 4, 0)]
    [InlineData(14, 4, 14)]
    [InlineData(23, 4, 14)]
    public void Records_of_one_length_are_counted_from_the_first(int length, long first, long end)
    {
        string path = TestFolder.NewFile(length);
        var options = new FileAppendOptions
        {
            Boundary = RecordBoundary.Every(10, first),
            TornTail = TornTailAction.Truncate,
        };
        using FileAppendWriter writer = FilePipe.Append(path, options);

        Assert.Equal(length == end ? null : new TornTail(end, length - end), writer.TornTail);
        Assert.Equal(end, new FileInfo(path).Length);
    }

    [Theory, EveryValue]
    public void FindEnd_gets_the_file_from_its_start(bool portable)
    {
        string path = TestFolder.NewFile(1_000_000);
        byte[]? seen = null;
        var options = new FileAppendOptions
        {
            FindEnd = reader =>
            {
                ReadResult result = reader.Read();
                while (!result.IsCompleted)
                {
                    reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
                    result = reader.Read();
                }

                seen = System.Buffers.BuffersExtensions.ToArray(result.Buffer);
                return 999_000;
            },
            TornTail = TornTailAction.Truncate,
            Portable = portable,
        };
        using FileAppendWriter writer = FilePipe.Append(path, options);

        Assert.Equal(TestContent.Of(1_000_000).ToArray(), seen);
        Assert.Equal(new TornTail(999_000, 1000), writer.TornTail);
        Assert.Equal(999_000, new FileInfo(path).Length);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(101)]
    public void FindEnd_outside_the_file_is_rejected(long end)
    {
        string path = TestFolder.NewFile(100);

        Assert.Throws<InvalidOperationException>(() => FilePipe.Append(path, new FileAppendOptions { FindEnd = _ => end }));
        Assert.Equal(100, new FileInfo(path).Length);
    }

    [NeedsFact(Need.Linux)]
    public void Exception_of_FindEnd_reaches_the_caller_and_the_file_can_be_reopened()
    {
        string path = TestFolder.NewFile(100);
        var options = new FileAppendOptions { FindEnd = _ => throw new FormatException("Not a log.") };

        Assert.Throws<FormatException>(() => FilePipe.Append(path, options));
        FilePipe.Append(path).Dispose();
        if (NativeFeatures.Linux)
        {
            Assert.Equal(0, Linux.OpenDescriptors(path));
        }
    }

    [Fact]
    public void Predicate_boundary_is_rejected()
    {
        using var folder = new TemporaryFolder();
        var options = new FileAppendOptions { Boundary = RecordBoundary.Where((_, _) => true) };

        ArgumentException refused = Assert.Throws<ArgumentException>(() => FilePipe.Append(folder["log"], options));
        Assert.Contains("FindEnd", refused.Message, StringComparison.Ordinal);
        Assert.Empty(folder.Names);
    }

    [Fact]
    public void Boundary_and_FindEnd_together_are_rejected()
    {
        var options = new FileAppendOptions { Boundary = RecordBoundary.Lines, FindEnd = _ => 0 };

        Assert.Throws<ArgumentException>(() => FilePipe.Append(TestFolder.NewPath(), options));
    }

    [NeedsFact(Need.Unix)]
    public async Task A_second_writer_waits_until_the_first_has_looked_at_the_end()
    {
        string path = Write("one\ntw");
        using var looking = new ManualResetEventSlim();
        using var look = new ManualResetEventSlim();
        var options = new FileAppendOptions
        {
            FindEnd = _ =>
            {
                looking.Set();
                look.Wait();
                return 4;
            },
            TornTail = TornTailAction.Truncate,
        };
        Task<FileAppendWriter> first = Task.Factory.StartNew(() => FilePipe.Append(path, options), TaskCreationOptions.LongRunning);
        Assert.True(looking.Wait(Bounded.Patience));
        Task second = Task.Factory.StartNew(
            () =>
            {
                using FileAppendWriter writer = FilePipe.Append(path);
                writer.GetSpan(1)[0] = (byte)'!';
                writer.Advance(1);
            },
            TaskCreationOptions.LongRunning);
        look.Set();
        await using FileAppendWriter opened = await first.Soon();
        await second.Soon();

        Assert.Equal(new TornTail(4, 2), opened.TornTail);
        Assert.Equal("one\n!", await File.ReadAllTextAsync(path));
    }

    private static string Write(string content)
    {
        string path = TestFolder.NewPath();
        File.WriteAllText(path, content);
        return path;
    }
}
