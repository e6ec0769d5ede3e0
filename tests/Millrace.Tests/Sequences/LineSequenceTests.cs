namespace Millrace.Tests.Sequences;

/// <summary>Lines, wherever the bytes are cut.</summary>
public sealed class LineSequenceTests
{
    [Theory]
    [InlineData("", new string[0])]
    [InlineData("\n", new[] { "" })]
    [InlineData("\r\n", new[] { "" })]
    [InlineData("\n\n", new[] { "", "" })]
    [InlineData("\r\n\n\r\n", new[] { "", "", "" })]
    [InlineData("one", new[] { "one" })]
    [InlineData("one\n", new[] { "one" })]
    [InlineData("one\r\n", new[] { "one" })]
    [InlineData("one\ntwo", new[] { "one", "two" })]
    [InlineData("one\r\ntwo\nthree\r\n", new[] { "one", "two", "three" })]
    [InlineData("one\n\n\ntwo\n", new[] { "one", "", "", "two" })]
    [InlineData("\r", new[] { "\r" })]
    [InlineData("one\r", new[] { "one\r" })]
    [InlineData("o\rn\re\n", new[] { "o\rn\re" })]
    [InlineData("one\r\r\n\r\r\n", new[] { "one\r", "\r" })]
    [InlineData("one\n\r", new[] { "one", "\r" })]
    [InlineData("one\n\rtwo\n", new[] { "one", "\rtwo" })]
    [InlineData("one\0\n\u00ff\n", new[] { "one\0", "\u00ff" })]
    public async Task Lines_end_with_a_line_feed_wherever_it_is_cut(string text, string[] lines)
    {
        foreach (string name in ByteSources.Names)
        {
            foreach (int[] pieces in new int[][] { [0], [1], [2], [3], [1, 0, 2], [4, 1], [5] })
            {
                await using ByteSource source = ByteSources.Open(name, Text.Bytes(text), pieces);

                Assert.Equal(lines, await source.Lines().TakeAsync());
            }
        }
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task An_iteration_that_ends_early_leaves_the_next_line_in_the_reader(string name)
    {
        const string All = "one\r\n\nthree, longer than a piece\nfour";
        foreach ((int count, string rest) in new[]
        {
            (1, "\nthree, longer than a piece\nfour"), (2, "three, longer than a piece\nfour"), (3, "four"), (4, ""),
        })
        {
            await using ByteSource source = ByteSources.Open(name, Text.Bytes(All), 4);

            await source.Lines().TakeAsync(count);

            Assert.Equal(rest, Text.Of(await source.ReadToEndAsync()));
        }
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task A_header_of_lines_is_followed_by_bytes(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Text.Bytes("one\r\ntwo\n\n\n\nbytes"), 4);
        var header = new List<string>();
        await foreach (ReadOnlyMemory<byte> line in source.Lines())
        {
            header.Add(Text.Of(line.Span));
            if (line.IsEmpty)
            {
                break;
            }
        }

        Assert.Equal(["one", "two", ""], header);
        Assert.Equal("\n\nbytes", Text.Of(await source.Bytes().TakeAsync()));
    }

    [Fact]
    public async Task A_line_in_one_segment_is_not_copied()
    {
        byte[] bytes = Text.Bytes("one\ntwo\r\nthree");
        PipeReader reader = PipeReader.Create(new ReadOnlySequence<byte>(bytes));
        var lines = new List<ReadOnlyMemory<byte>>();
        await foreach (ReadOnlyMemory<byte> line in reader.ReadLinesAsync())
        {
            lines.Add(line);
        }

        Assert.Equal([bytes.AsMemory(0, 3), bytes.AsMemory(4, 3), bytes.AsMemory(9, 5)], lines);
    }

    [Theory]
    [InlineData("abc\nx")]
    [InlineData("abc\r\nx")]
    [InlineData("\nabc\r\nx")]
    [InlineData("abc")]
    [InlineData("ab\r")]
    public async Task A_line_as_long_as_the_limit_is_accepted_wherever_it_is_cut(string text)
    {
        string[] lines = await PipeReader.Create(new(Text.Bytes(text))).ReadLinesAsync().TakeAsync();
        foreach (string name in ByteSources.Names)
        {
            foreach (int[] pieces in new int[][] { [0], [1], [3], [4], [1, 0, 2] })
            {
                await using ByteSource source = ByteSources.Open(name, Text.Bytes(text), pieces);

                Assert.Equal(lines, await source.Lines(maxLength: 3).TakeAsync());
            }
        }
    }

    [Theory]
    [InlineData("ab\nabcd\nx", 1, 3)]
    [InlineData("ab\nabcd\r\nx", 1, 3)]
    [InlineData("abcd", 0, 0)]
    [InlineData("abc\r", 0, 0)]
    [InlineData("abc\r\r\n", 0, 0)]
    [InlineData("abc\rx\n", 0, 0)]
    [InlineData("\n\r\nabc\r\n\nabcdefghijklmnopqrstuvwxyz", 4, 9)]
    public async Task A_too_long_line_throws_with_its_number_and_stays_in_the_reader(string text, long index, int offset)
    {
        foreach (string name in ByteSources.Names)
        {
            foreach (int[] pieces in new int[][] { [0], [1], [3], [4], [1, 0, 2] })
            {
                await using ByteSource source = ByteSources.Open(name, Text.Bytes(text), pieces);
                var lines = new List<string>();

                RecordException exception = await Assert.ThrowsAsync<RecordException>(
                    () => source.Lines(maxLength: 3).TakeInto(lines));

                Assert.Equal(index, exception.Index);
                Assert.Equal(offset, exception.Offset);
                Assert.Equal(index, lines.Count);
                if (source.KeepsTheRest)
                {
                    Assert.Equal(text[offset..], Text.Of(await source.ReadToEndAsync()));
                }
            }
        }
    }

    [Fact]
    public async Task The_exception_of_a_longer_line_names_the_line_the_limit_and_what_to_do()
    {
        RecordException exception = await Assert.ThrowsAsync<RecordException>(
            () => ScriptedReader.Of("ab\nabcdef\n").ReadLinesAsync(maxLength: 3).TakeAsync());

        Assert.StartsWith(
            "Line 2, which begins 3 bytes after the start, is longer than the limit of 3 bytes.",
            exception.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_too_long_line_is_rejected_before_all_of_it_is_read()
    {
        var reader = ScriptedReader.Of("ab", "cd", "ef", "gh", "\n");

        await Assert.ThrowsAsync<RecordException>(() => reader.ReadLinesAsync(maxLength: 4).TakeAsync());

        Assert.Equal(3, reader.Reads);
    }

    [Fact]
    public async Task Reading_can_continue_after_a_too_long_line()
    {
        var reader = ScriptedReader.Of("ab\nabc", "def\nxy\n");
        await Assert.ThrowsAsync<RecordException>(() => reader.ReadLinesAsync(maxLength: 3).TakeAsync());

        Assert.Equal(["abcdef", "xy"], await reader.ReadLinesAsync(maxLength: 6).TakeAsync());
    }

    [Fact]
    public async Task A_line_longer_than_an_array_is_too_long()
    {
        // The same MiB of memory, over and over.
        byte[] segment = new byte[1024 * 1024];
        PipeReader reader = PipeReader.Create(Segments.Of(Enumerable
            .Repeat((ReadOnlyMemory<byte>)segment, 2048)
            .Append(Text.Bytes("\n"))));

        RecordException exception = await Assert.ThrowsAsync<RecordException>(
            () => reader.ReadLinesAsync().TakeAsync());

        Assert.Equal(0, exception.Offset);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void A_limit_below_one_byte_is_rejected_at_once(int maxLength)
    {
        using var stream = new MemoryStream();

        Assert.Throws<ArgumentOutOfRangeException>(() => ScriptedReader.Of().ReadLinesAsync(maxLength));
        Assert.Throws<ArgumentOutOfRangeException>(() => stream.ReadLinesAsync(maxLength));
    }

    [Fact]
    public async Task A_long_line_over_small_reads_is_searched_once()
    {
        const int Pieces = 500;
        var segments = new CountedMemory[Pieces];
        for (int i = 0; i < Pieces; i++)
        {
            segments[i] = new CountedMemory(Text.Bytes(i == Pieces - 1 ? "ab\n" : "abc"));
        }

        var reader = new ScriptedReader(segments.Select(
            segment => (Func<ReadOnlyMemory<byte>>)(() => segment.Memory)));

        Assert.Equal((3 * Pieces) - 1, Assert.Single(await reader.ReadLinesAsync().TakeAsync()).Length);

        // To search it, to copy it.
        Assert.All(segments, segment => Assert.InRange(segment.Uses, 1, 4));
    }

    [Fact]
    public async Task Long_lines_one_after_the_other_each_have_their_own_bytes()
    {
        var reader = ScriptedReader.Of("a", "b\nc", "d", "e\nf\ngh", "i", "j", "k\r", "\nl");

        Assert.Equal(["ab", "cde", "f", "ghijk", "l"], await reader.ReadLinesAsync().TakeAsync());
    }

    [Fact]
    public async Task An_iteration_without_a_move_consumes_nothing()
    {
        var reader = ScriptedReader.Of("ab\n");
        LineSequence.Enumerator walk = reader.ReadLinesAsync().GetAsyncEnumerator();

        await walk.DisposeAsync();

        Assert.Equal(0, reader.Consumed);
        Assert.True(walk.Current.IsEmpty);
    }

    [Fact]
    public async Task Disposing_twice_does_nothing_more()
    {
        var reader = ScriptedReader.Of("a", "b\nc\n");
        LineSequence.Enumerator walk = reader.ReadLinesAsync().GetAsyncEnumerator();
        await walk.MoveNextAsync();

        await walk.DisposeAsync();
        await walk.DisposeAsync();

        Assert.Equal(3, reader.Consumed);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await walk.MoveNextAsync());
    }

    [Theory]
    [InlineData("ab")]
    [InlineData("ab\n")]
    public async Task Every_move_after_the_end_returns_false(string text)
    {
        LineSequence.Enumerator walk = ScriptedReader.Of(text).ReadLinesAsync().GetAsyncEnumerator();
        Assert.True(await walk.MoveNextAsync());

        Assert.False(await walk.MoveNextAsync());
        Assert.False(await walk.MoveNextAsync());
        Assert.True(walk.Current.IsEmpty);
    }

    /// <summary>Memory that counts how often it is read.</summary>
    private sealed class CountedMemory(byte[] bytes) : MemoryManager<byte>
    {
        public int Uses { get; private set; }

        // Not through the base class, which asks for the span to know its length.
        public override Memory<byte> Memory => CreateMemory(bytes.Length);

        public override Span<byte> GetSpan()
        {
            Uses++;
            return bytes;
        }

        public override MemoryHandle Pin(int elementIndex = 0) => bytes.AsMemory(elementIndex).Pin();

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
