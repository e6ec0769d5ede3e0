namespace Millrace.Tests.Sequences;

/// <summary>Walking byte by byte, and where the reader is afterwards.</summary>
public sealed class ByteSequenceTests
{
    private static readonly byte[] Content = TestContent.Of(1_000).ToArray();

    [Theory, EverySource]
    public async Task An_iteration_returns_every_byte_in_order(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 7, 0, 1, 50);

        Assert.Equal(Content, await source.Bytes().TakeAsync());
    }

    [Theory, EverySource]
    public async Task An_empty_source_yields_nothing(string name)
    {
        await using ByteSource source = ByteSources.Open(name, [], 0);

        Assert.Empty(await source.Bytes().TakeAsync());
        Assert.Empty(await source.Segments().TakeAsync());
        Assert.Empty(await source.Lines().TakeAsync());
        Assert.Empty(await source.Records<long>().TakeAsync());
        Assert.Equal(42, await source.Bytes().AggregateAsync(42, (_, next) => next));
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task An_iteration_that_ends_early_leaves_the_next_byte_in_the_reader(string name)
    {
        // Pieces of ten bytes: the first, the last and the next of one, and one of another.
        foreach (int count in new[] { 1, 9, 10, 11, 555, 999 })
        {
            await using ByteSource source = ByteSources.Open(name, Content, 10);

            Assert.Equal(Content[..count], await source.Bytes().TakeAsync(count));

            Assert.Equal(Content[count..], await source.ReadToEndAsync());
        }
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task Iterations_can_follow_each_other(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 10);
        var all = new List<byte>();
        for (int count = 1; all.Count < Content.Length; count++)
        {
            all.AddRange(await source.Bytes().TakeAsync(count));
        }

        Assert.Equal(Content, all);
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task An_iteration_without_a_move_consumes_nothing(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 10);
        RecordSequence<byte>.Enumerator walk = source.Bytes().GetAsyncEnumerator();

        await walk.DisposeAsync();

        Assert.Equal(Content, await source.ReadToEndAsync());
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task Disposing_twice_does_nothing_more(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 10);
        RecordSequence<byte>.Enumerator walk = source.Bytes().GetAsyncEnumerator();
        Assert.True(await walk.MoveNextAsync());

        await walk.DisposeAsync();
        await walk.DisposeAsync();

        Assert.Equal(Content[1..], await source.ReadToEndAsync());
    }

    [Theory, EverySource]
    public async Task Every_move_after_the_end_returns_false(string name)
    {
        await using ByteSource source = ByteSources.Open(name, [1], 0);
        RecordSequence<byte>.Enumerator walk = source.Bytes().GetAsyncEnumerator();
        Assert.True(await walk.MoveNextAsync());

        Assert.False(await walk.MoveNextAsync());
        Assert.False(await walk.MoveNextAsync());

        await walk.DisposeAsync();
        Assert.Empty(await source.ReadToEndAsync());
    }

    [Fact]
    public async Task An_element_without_a_move_is_an_exception()
    {
        await using ByteSource source = ByteSources.Open("Pipe", Content, 10);
        RecordSequence<byte>.Enumerator walk = source.Bytes().GetAsyncEnumerator();

        Assert.Throws<NullReferenceException>(() => walk.Current);
    }

    [Fact]
    public async Task Empty_segments_and_reads_are_skipped()
    {
        var reader = ScriptedReader.Of("", "a", "", "", "bc", "");

        Assert.Equal("abc"u8.ToArray(), await reader.ReadBytesAsync().TakeAsync());
    }

    [Fact]
    public async Task ReadAsync_continues_where_the_iteration_ended()
    {
        PipeReader reader = PipeReader.Create(Segments.Of(Segments.Cut(Content, [10])));
        await reader.ReadBytesAsync().TakeAsync(15);

        ReadResult result = await reader.ReadAsync();
        reader.AdvanceTo(result.Buffer.GetPosition(5));

        Assert.Equal(Content[20..30], await reader.ReadBytesAsync().TakeAsync(10));
    }

    [Fact]
    public async Task An_iteration_begins_where_the_caller_stopped_reading()
    {
        await using FilePipeReader reader = FilePipe.OpenRead(TestFolder.SharedFile(1_000));
        await reader.SkipAsync(100);

        Assert.Equal(Content[100..110], await reader.ReadBytesAsync().TakeAsync(10));

        Assert.Equal(110, reader.Position);
    }

    [Fact]
    public async Task An_iteration_over_bytes_that_were_examined_before_may_end_before_them()
    {
        // This reader refuses to see them as not examined, as the contract allows.
        var reader = ScriptedReader.Of("abc", "def", "ghi");
        ReadResult result = await reader.ReadAsync();
        reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);

        Assert.Equal("a"u8.ToArray(), await reader.ReadBytesAsync().TakeAsync(1));

        Assert.Equal("bcdefghi"u8.ToArray(), await reader.ReadBytesAsync().TakeAsync());
    }

    [Fact]
    public async Task An_iteration_does_not_complete_the_reader()
    {
        var reader = ScriptedReader.Of("abc");

        await reader.ReadBytesAsync().TakeAsync();

        Assert.False(reader.IsCompleted);
    }

    [Theory, EverySource]
    public async Task ForEachAsync_calls_with_every_byte(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 7, 1);
        var all = new List<byte>();

        await source.Bytes().ForEachAsync(all.Add).Soon();

        Assert.Equal(Content, all);
    }

    [Theory, EverySource]
    public async Task AggregateAsync_folds_every_byte(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 7, 1);

        int hash = await source.Bytes().AggregateAsync(17, (value, next) => unchecked((value * 31) + next)).Soon();

        Assert.Equal(Content.Aggregate(17, (value, next) => unchecked((value * 31) + next)), hash);
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task The_interface_returns_the_same_bytes_and_ends_early_at_the_same_place(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 7, 1);
        var taken = new List<byte>();
        await foreach (byte value in source.Bytes().AsAsyncEnumerable())
        {
            taken.Add(value);
            if (taken.Count == 100)
            {
                break;
            }
        }

        Assert.Equal(Content[..100], taken);
        Assert.Equal(Content[100..], await source.ReadToEndAsync());
    }

    [Fact]
    public void Sequences_over_the_same_reader_with_the_same_options_are_equal()
    {
        var reader = ScriptedReader.Of("abc");

        Assert.True(reader.ReadBytesAsync() == reader.ReadBytesAsync());
        Assert.True(reader.ReadBytesAsync() != reader.ReadBytesAsync().ConfigureAwait(false));
        Assert.False(reader.ReadBytesAsync().Equals(ScriptedReader.Of("abc").ReadBytesAsync()));
        Assert.True(reader.ReadLinesAsync(10) == reader.ReadLinesAsync(10));
        Assert.True(reader.ReadLinesAsync(10) != reader.ReadLinesAsync(11));
        Assert.True(reader.ReadRecordsAsync<int>() == reader.ReadRecordsAsync<int>(ByteOrder.LittleEndian));
        Assert.True(reader.ReadRecordsAsync<int>() != reader.ReadRecordsAsync<int>(ByteOrder.BigEndian));
    }

    [Fact]
    public void Missing_source_is_rejected_at_once()
    {
        Assert.Throws<ArgumentNullException>(() => ((PipeReader)null!).ReadBytesAsync());
        Assert.Throws<ArgumentNullException>(() => ((Stream)null!).ReadBytesAsync());
        using var writeOnly = new FailingStream(0);
        Assert.Throws<ArgumentException>(() => writeOnly.ReadBytesAsync());
    }
}
