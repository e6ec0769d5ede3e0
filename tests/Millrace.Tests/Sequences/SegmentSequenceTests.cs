namespace Millrace.Tests.Sequences;

/// <summary>Walking memory by memory, with await foreach and with a delegate.</summary>
public sealed class SegmentSequenceTests
{
    private static readonly byte[] Content = TestContent.Of(1_000).ToArray();

    [Theory, EverySource]
    public async Task Segments_are_every_byte_in_order_and_never_empty(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 7, 0, 1, 50);

        byte[][] segments = await source.Segments().TakeAsync();

        Assert.DoesNotContain(segments, segment => segment.Length == 0);
        Assert.Equal(Content, segments.SelectMany(segment => segment));
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task A_returned_segment_counts_as_consumed(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 10);

        byte[][] segments = await source.Segments().TakeAsync(3);

        int taken = segments.Sum(segment => segment.Length);
        Assert.Equal(Content[..taken], segments.SelectMany(segment => segment));
        Assert.Equal(Content[taken..], await source.ReadToEndAsync());
    }

    [Fact]
    public async Task Empty_segments_are_skipped()
    {
        PipeReader reader = PipeReader.Create(Segments.Of([
            default, default, Text.Bytes("ab"), default, Text.Bytes("c"), default]));

        Assert.Equal([Text.Bytes("ab"), Text.Bytes("c")], await reader.ReadSegmentsAsync().TakeAsync());
    }

    [Fact]
    public async Task A_segment_is_the_readers_own_memory()
    {
        PipeReader reader = PipeReader.Create(new(Content));
        await foreach (ReadOnlyMemory<byte> segment in reader.ReadSegmentsAsync())
        {
            Assert.True(segment.Equals(Content.AsMemory()));
        }
    }

    [Fact]
    public async Task Disposing_twice_does_nothing_more()
    {
        var reader = ScriptedReader.Of("ab", "cd");
        SegmentSequence.Enumerator walk = reader.ReadSegmentsAsync().GetAsyncEnumerator();
        await walk.MoveNextAsync();

        await walk.DisposeAsync();
        await walk.DisposeAsync();

        Assert.Equal(2, reader.Consumed);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await walk.MoveNextAsync());
    }

    [Fact]
    public async Task Every_move_after_the_end_returns_false()
    {
        SegmentSequence.Enumerator walk = ScriptedReader.Of("ab").ReadSegmentsAsync().GetAsyncEnumerator();
        Assert.True(await walk.MoveNextAsync());

        Assert.False(await walk.MoveNextAsync());
        Assert.False(await walk.MoveNextAsync());
        Assert.True(walk.Current.IsEmpty);
    }

    [Theory, EverySource]
    public async Task ForEachSegmentAsync_passes_every_byte_in_order_and_returns_the_count(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 7, 0, 1, 50);
        var all = new List<byte>();

        long length = await source.ForEachSegmentAsync(span =>
        {
            Assert.False(span.IsEmpty);
            all.AddRange(span);
        }).Soon();

        Assert.Equal(Content.Length, length);
        Assert.Equal(Content, all);
    }

    [Fact]
    public async Task ForEachSegmentAsync_passes_its_state_to_every_call()
    {
        var all = new List<byte>();

        await ScriptedReader.Of("ab", "c").ForEachSegmentAsync(all, static (span, list) => list.AddRange(span));
        using var stream = new MemoryStream("d"u8.ToArray());
        await stream.ForEachSegmentAsync(all, static (span, list) => list.AddRange(span));

        Assert.Equal("abcd"u8.ToArray(), all);
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task A_segment_whose_callback_throws_is_not_consumed(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 10);
        int taken = 0;
        int calls = 0;

        await Assert.ThrowsAsync<NotSupportedException>(() => source.ForEachSegmentAsync(span =>
        {
            if (calls++ == 2 || span.Length == Content.Length)
            {
                throw new NotSupportedException("The test's failure.");
            }

            taken += span.Length;
        }).Soon());

        Assert.Equal(Content[taken..], await source.ReadToEndAsync());
    }

    [Fact]
    public async Task Missing_delegate_is_rejected_before_reading()
    {
        var reader = ScriptedReader.Of("ab");

        await Assert.ThrowsAsync<ArgumentNullException>(async () => await reader.ForEachSegmentAsync(null!));
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await reader.ForEachSegmentAsync<int>(1, null!));
        Assert.Equal(0, reader.Reads);
    }
}
