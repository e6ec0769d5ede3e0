using System.Runtime.InteropServices;

namespace Millrace.Tests.Sequences;

/// <summary>Walking over records of one size, wherever the bytes are cut.</summary>
public sealed class RecordSequenceTests
{
    private static readonly byte[] Content = TestContent.Of(240).ToArray();

    [Theory, EverySource]
    public async Task Records_of_every_size_come_whole_and_in_order(string name)
    {
        // Pieces so that records lie in one segment, span two, and span many.
        foreach (int[] pieces in new int[][] { [0], [1], [2], [5], [24], [25], [7, 0, 100, 1] })
        {
            await CheckAsync<byte>(name, pieces);
            await CheckAsync<RecordOf3>(name, pieces);
            await CheckAsync<long>(name, pieces);
            await CheckAsync<RecordOf12>(name, pieces);
            await CheckAsync<RecordOf24>(name, pieces);
        }
    }

    [Theory, EverySource(KeepsTheRest = true)]
    public async Task An_iteration_that_ends_early_leaves_the_next_record_in_the_reader(string name)
    {
        foreach (int[] pieces in new int[][] { [0], [1], [5], [12], [13], [24] })
        {
            foreach (int count in new[] { 1, 2, 19, 20 })
            {
                await using ByteSource source = ByteSources.Open(name, Content, pieces);

                await source.Records<RecordOf12>().TakeAsync(count);

                Assert.Equal(Content[(12 * count)..], await source.ReadToEndAsync());
            }
        }
    }

    [Theory, EverySource]
    public async Task An_incomplete_record_throws_with_its_offset(string name)
    {
        foreach (int[] pieces in new int[][] { [0], [1], [5], [23], [24], [25] })
        {
            await using ByteSource source = ByteSources.Open(name, Content[..^1], pieces);
            var records = new List<RecordOf24>();

            RecordException exception = await Assert.ThrowsAsync<RecordException>(
                () => source.Records<RecordOf24>().TakeInto(records));

            Assert.Equal(9, exception.Index);
            Assert.Equal(9 * 24, exception.Offset);
            Assert.Contains("has 23 of 24 bytes", exception.Message, StringComparison.Ordinal);
            Assert.Equal(9, records.Count);
            if (source.KeepsTheRest)
            {
                Assert.Equal(Content[(9 * 24)..^1], await source.ReadToEndAsync());
            }
        }
    }

    [Fact]
    public async Task An_incomplete_record_throws_again_on_the_next_move()
    {
        var reader = ScriptedReader.Of("abc");
        RecordSequence<int>.Enumerator walk = reader.ReadRecordsAsync<int>().GetAsyncEnumerator();

        await Assert.ThrowsAsync<RecordException>(async () => await walk.MoveNextAsync());
        await Assert.ThrowsAsync<RecordException>(async () => await walk.MoveNextAsync());

        await walk.DisposeAsync();
        Assert.Equal(0, reader.Consumed);
    }

    [Fact]
    public async Task Empty_segments_within_a_record_are_skipped()
    {
        PipeReader reader = PipeReader.Create(Segments.Of([
            default, Text.Bytes("ab"), default, default, Text.Bytes("c"), default, Text.Bytes("defgh"), default]));

        Assert.Equal("abcdefgh", Text.Of(MemoryMarshal.AsBytes<int>(await reader.ReadRecordsAsync<int>().TakeAsync())));
    }

    [Fact]
    public async Task Iterations_over_different_records_can_follow_each_other()
    {
        PipeReader reader = PipeReader.Create(Segments.Of(Segments.Cut(Content, [7])));

        byte[] first = await reader.ReadBytesAsync().TakeAsync(1);
        RecordOf3[] second = await reader.ReadRecordsAsync<RecordOf3>().TakeAsync(3);
        long[] third = await reader.ReadRecordsAsync<long>().TakeAsync(2);
        RecordOf24[] fourth = await reader.ReadRecordsAsync<RecordOf24>().TakeAsync(1);

        byte[] all =
        [
            .. first, .. MemoryMarshal.AsBytes<RecordOf3>(second), .. MemoryMarshal.AsBytes<long>(third),
            .. MemoryMarshal.AsBytes<RecordOf24>(fourth),
        ];
        Assert.Equal(Content[..50], all);
        Assert.Equal(Content[50..], await reader.ReadToEndAsync());
    }

    [Fact]
    public async Task Moves_complete_synchronously_while_records_are_in_memory()
    {
        PipeReader reader = PipeReader.Create(Segments.Of(Segments.Cut(Content, [7])));
        RecordSequence<long>.Enumerator walk = reader.ReadRecordsAsync<long>().GetAsyncEnumerator();
        for (int i = 0; i < Content.Length / sizeof(long); i++)
        {
            SegmentSequence.NextAwaitable move = walk.MoveNextAsync();

            Assert.True(move.IsCompleted);
            Assert.True(await move);
        }

        await walk.DisposeAsync();
    }

    [Fact]
    public async Task A_move_waits_for_the_rest_of_a_record()
    {
        var pipe = new Pipe();
        RecordSequence<int>.Enumerator walk = pipe.Reader.ReadRecordsAsync<int>().GetAsyncEnumerator();
        await pipe.Writer.WriteAsync("abc"u8.ToArray());
        SegmentSequence.NextAwaitable move = walk.MoveNextAsync();
        Assert.False(move.IsCompleted);

        await pipe.Writer.WriteAsync("d"u8.ToArray());

        Assert.True(await move);
        Assert.Equal(BitConverter.ToInt32("abcd"u8), walk.Current);
        await walk.DisposeAsync();
    }

    [Fact]
    public async Task A_disposed_iteration_throws()
    {
        RecordSequence<int>.Enumerator walk = ScriptedReader.Of("abcd").ReadRecordsAsync<int>().GetAsyncEnumerator();
        await walk.DisposeAsync();
        await walk.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await walk.MoveNextAsync());
    }

    [Theory, EverySource]
    public async Task The_interface_returns_the_same_records(string name)
    {
        await using ByteSource source = ByteSources.Open(name, Content, 7, 1);
        var taken = new List<RecordOf12>();
        await foreach (RecordOf12 record in source.Records<RecordOf12>().AsAsyncEnumerable())
        {
            taken.Add(record);
        }

        Assert.Equal(Content, MemoryMarshal.AsBytes<RecordOf12>(taken.ToArray()).ToArray());
    }

    private static async Task CheckAsync<T>(string name, int[] pieces)
        where T : unmanaged
    {
        await using ByteSource source = ByteSources.Open(name, Content, pieces);

        T[] records = await source.Records<T>().TakeAsync();

        Assert.Equal(Content, MemoryMarshal.AsBytes<T>(records).ToArray());
    }
}
