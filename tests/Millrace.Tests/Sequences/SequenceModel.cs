namespace Millrace.Tests.Sequences;

/// <summary>What walks over a byte array would give, and where they would end.</summary>
internal sealed class SequenceModel
{
    private readonly ByteSource _source;
    private readonly byte[] _content;
    private int _position;

    private SequenceModel(ByteSource source, byte[] content)
    {
        _source = source;
        _content = content;
    }

    private ReadOnlySpan<byte> Rest => _content.AsSpan(_position);

    /// <summary>Runs a case, and then reads the rest.</summary>
    public static async Task CheckAsync(SequenceCase given)
    {
        await using ByteSource source = ByteSources.Open(given.Source, given.Content, given.Pieces);
        var model = new SequenceModel(source, given.Content);

        // Of a stream without positions, the bytes that the first walk read ahead are lost.
        foreach (SequenceWalk walk in source.KeepsTheRest ? given.Walks : given.Walks.Take(1))
        {
            await model.DoAsync(walk);
        }

        if (source.KeepsTheRest)
        {
            Assert.Equal(model.Rest.ToArray(), await source.ReadToEndAsync());
        }
    }

    private Task DoAsync(SequenceWalk walk) => walk switch
    {
        SequenceWalk.Bytes(int count) => BytesAsync(count),
        SequenceWalk.SegmentWalk(int count) => SegmentsAsync(count),
        SequenceWalk.Lines(int count, int limit) => LinesAsync(count, limit),
        SequenceWalk.Records(int count, int kind, ByteOrder order) => RecordsAsync(count, RecordKinds.All[kind], order),
        SequenceWalk.ForEach(int count) => ForEachAsync(count),
        SequenceWalk.Cancelled => Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => _source.Lines(cancellationToken: new CancellationToken(canceled: true)).TakeAsync()),
        _ => throw new NotSupportedException(walk.ToString()),
    };

    private async Task BytesAsync(int count)
    {
        Take(await _source.Bytes().TakeAsync(count), Math.Min(count, Rest.Length));
    }

    private async Task SegmentsAsync(int count)
    {
        byte[][] segments = await _source.Segments().TakeAsync(count);

        // How long they are is the reader's affair.
        Assert.DoesNotContain(segments, segment => segment.Length == 0);
        byte[] taken = [.. segments.SelectMany(segment => segment)];
        Assert.True(segments.Length == count || taken.Length == Rest.Length, "an end before the end");
        Take(taken, taken.Length);
    }

    private async Task LinesAsync(int count, int limit)
    {
        var expected = new List<string>();
        int start = _position;
        bool tooLong = false;
        while (start < _content.Length && expected.Count < count && !tooLong)
        {
            int end = Array.IndexOf(_content, (byte)'\n', start);
            string line = Text.Of(_content.AsSpan(start..(end < 0 ? _content.Length : end)));
            if (end >= 0 && line.EndsWith('\r'))
            {
                line = line[..^1];
            }

            tooLong = line.Length > limit;
            if (!tooLong)
            {
                expected.Add(line);
                start = end < 0 ? _content.Length : end + 1;
            }
        }

        var taken = new List<string>();
        RecordException? exception = await FailureAsync(_source.Lines(limit).TakeInto(taken, count));

        Assert.Equal(expected, taken);
        AssertFailure(exception, tooLong, start - _position, expected.Count);
        _position = start;
    }

    private async Task RecordsAsync(int count, RecordKind kind, ByteOrder order)
    {
        int whole = Math.Min(count, Rest.Length / kind.Size);
        bool incomplete = whole < count && Rest.Length % kind.Size != 0;
        byte[] expected = kind.Expected(Rest[..(whole * kind.Size)], order);

        var taken = new List<byte>();
        RecordException? exception = await FailureAsync(kind.TakeAsync(_source, order, count, taken));

        Assert.True(expected.AsSpan().SequenceEqual(taken.ToArray()), $"{kind.Name} from {_position}");
        AssertFailure(exception, incomplete, expected.Length, whole);
        _position += expected.Length;
    }

    private async Task ForEachAsync(int count)
    {
        var taken = new List<byte>();
        int calls = 0;
        Exception? exception = await Record.ExceptionAsync(() => _source.ForEachSegmentAsync(span =>
        {
            if (++calls == count)
            {
                throw new NotSupportedException("The test's failure.");
            }

            taken.AddRange(span);
        }).Soon());

        Assert.Equal(calls == count, exception is NotSupportedException);
        Take([.. taken], exception is null ? Rest.Length : taken.Count);
    }

    private void Take(byte[] taken, int length)
    {
        Assert.Equal(length, taken.Length);
        Assert.True(Rest[..length].SequenceEqual(taken), $"other bytes than those from {_position}");
        _position += length;
    }

    private static async Task<RecordException?> FailureAsync(Task walk)
    {
        try
        {
            await walk;
            return null;
        }
        catch (RecordException exception)
        {
            return exception;
        }
    }

    private static void AssertFailure(RecordException? exception, bool expected, long offset, long index)
    {
        Assert.Equal(expected, exception is not null);
        if (exception is not null)
        {
            Assert.Equal(offset, exception.Offset);
            Assert.Equal(index, exception.Index);
        }
    }
}
