namespace Millrace.Tests.Sequences;

/// <summary>Walking byte by byte, and where the reader is afterwards.</summary>
public sealed class ByteSequenceTests
{
    private static readonly byte[] Content = TestContent.Of(1_000).ToArray();

    [Theory, EverySource]
    public async Task A_walk_gives_every_byte_in_order(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 7, 0, 1, 50);

        Assert.Equal(Content, await source.Bytes().TakeAsync());
    }

    [Theory, EverySource]
    public async Task A_walk_over_nothing_gives_nothing(string name)
    {
        await using ByteSource source = ByteSources.Open(name, [], 0);

        Assert.Empty(await source.Bytes().TakeAsync());
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task A_walk_that_ends_early_leaves_the_next_byte_to_whoever_reads_on(string name)
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
    public async Task Walks_follow_each_other(string name)
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
    public async Task A_walk_that_moved_nowhere_takes_nothing(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 10);
        RecordSequence<byte>.Enumerator walk = source.Bytes().GetAsyncEnumerator();

        await walk.DisposeAsync();

        Assert.Equal(Content, await source.ReadToEndAsync());
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task Disposing_twice_is_disposing_once(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 10);
        RecordSequence<byte>.Enumerator walk = source.Bytes().GetAsyncEnumerator();
        Assert.True(await walk.MoveNextAsync());

        await walk.DisposeAsync();
        await walk.DisposeAsync();

        Assert.Equal(Content[1..], await source.ReadToEndAsync());
    }

    [Theory, EverySource]
    public async Task After_the_end_there_is_nothing_however_often_one_asks(string name)
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
    public async Task A_walk_that_was_disposed_says_so()
    {
        await using ByteSource source = ByteSources.Open("Pipe", Content, 10);
        RecordSequence<byte>.Enumerator walk = source.Bytes().GetAsyncEnumerator();
        await walk.MoveNextAsync();
        await walk.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await walk.MoveNextAsync());
    }

    [Fact]
    public async Task An_element_without_a_move_is_an_exception()
    {
        await using ByteSource source = ByteSources.Open("Pipe", Content, 10);
        RecordSequence<byte>.Enumerator walk = source.Bytes().GetAsyncEnumerator();

        Assert.Throws<NullReferenceException>(() => walk.Current);
    }

    [Fact]
    public async Task Empty_segments_and_reads_that_bring_nothing_are_passed_over()
    {
        var reader = ScriptedReader.Of("", "a", "", "", "bc", "");

        Assert.Equal("abc"u8.ToArray(), await reader.ReadBytesAsync().TakeAsync());
    }

    [Fact]
    public async Task A_walk_goes_on_with_ReadAsync_where_it_ended()
    {
        PipeReader reader = PipeReader.Create(Segments.Of(Segments.Cut(Content, [10])));
        await reader.ReadBytesAsync().TakeAsync(15);

        ReadResult result = await reader.ReadAsync();
        reader.AdvanceTo(result.Buffer.GetPosition(5));

        Assert.Equal(Content[20..30], await reader.ReadBytesAsync().TakeAsync(10));
    }

    [Fact]
    public async Task A_walk_begins_where_the_caller_has_read_to()
    {
        await using FilePipeReader reader = FilePipe.OpenRead(TestFolder.SharedFile(1_000));
        await reader.SkipAsync(100);

        Assert.Equal(Content[100..110], await reader.ReadBytesAsync().TakeAsync(10));

        Assert.Equal(110, reader.Position);
    }

    [Fact]
    public async Task A_walk_over_bytes_that_were_examined_before_may_end_before_them()
    {
        // This reader refuses to see them as not examined, as the contract allows.
        var reader = ScriptedReader.Of("abc", "def", "ghi");
        ReadResult result = await reader.ReadAsync();
        reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);

        Assert.Equal("a"u8.ToArray(), await reader.ReadBytesAsync().TakeAsync(1));

        Assert.Equal("bcdefghi"u8.ToArray(), await reader.ReadBytesAsync().TakeAsync());
    }

    [Fact]
    public async Task A_walk_does_not_complete_the_reader()
    {
        var reader = ScriptedReader.Of("abc");

        await reader.ReadBytesAsync().TakeAsync();

        Assert.False(reader.IsCompleted);
    }

    [Fact]
    public async Task While_bytes_are_in_memory_every_move_is_ready()
    {
        PipeReader reader = PipeReader.Create(Segments.Of(Segments.Cut(Content, [10])));
        RecordSequence<byte>.Enumerator walk = reader.ReadBytesAsync().GetAsyncEnumerator();
        for (int i = 0; i < Content.Length; i++)
        {
            NextAwaitable move = walk.MoveNextAsync();

            Assert.True(move.IsCompleted);
            Assert.True(await move);
        }

        await walk.DisposeAsync();
    }

    [Fact]
    public async Task A_move_waits_for_bytes_that_are_not_there()
    {
        var pipe = new Pipe();
        RecordSequence<byte>.Enumerator walk = pipe.Reader.ReadBytesAsync().GetAsyncEnumerator();
        NextAwaitable move = walk.MoveNextAsync();
        Assert.False(move.IsCompleted);

        await pipe.Writer.WriteAsync("x"u8.ToArray());

        Assert.True(await move);
        Assert.Equal((byte)'x', walk.Current);
        await walk.DisposeAsync();
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

    [Fact]
    public async Task AggregateAsync_of_nothing_is_its_seed() =>
        Assert.Equal(42, await ScriptedReader.Of("").ReadBytesAsync().AggregateAsync(42, (_, next) => next));

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task The_interface_gives_the_same_bytes_and_ends_early_at_the_same_place(string name)
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
    public void Sequences_over_the_same_reader_are_equal()
    {
        var reader = ScriptedReader.Of("abc");

        Assert.True(reader.ReadBytesAsync() == reader.ReadBytesAsync());
        Assert.True(reader.ReadBytesAsync() != reader.ReadBytesAsync().ConfigureAwait(false));
        Assert.False(reader.ReadBytesAsync().Equals(ScriptedReader.Of("abc").ReadBytesAsync()));
    }

    [Fact]
    public void Nothing_to_read_from_is_refused_at_once()
    {
        Assert.Throws<ArgumentNullException>(() => ((PipeReader)null!).ReadBytesAsync());
        Assert.Throws<ArgumentNullException>(() => ((Stream)null!).ReadBytesAsync());
        using var writeOnly = new FailingStream(0);
        Assert.Throws<ArgumentException>(() => writeOnly.ReadBytesAsync());
    }
}
