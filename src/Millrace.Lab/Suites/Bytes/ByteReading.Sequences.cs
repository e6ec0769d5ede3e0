namespace Millrace.Lab.Suites.Bytes;

// As an application would write it; ConfigureAwait would make the sequences slower still.
#pragma warning disable CA2007
internal sealed partial class ByteReading
{
    // The plain async sequence of bytes, with await foreach.
    private async ValueTask<ulong> AsyncBytesAwaitForEachAsync()
    {
        await using Stream stream = await _source.OpenStreamAsync();
        ulong sum = 0;
        await foreach (byte value in ReadPlainAsync(stream, _buffer))
        {
            sum = checked(sum + value);
        }

        return sum;
    }

    // The same with a delegate called for every byte.
    private async ValueTask<ulong> AsyncBytesForEachAsync()
    {
        await using Stream stream = await _source.OpenStreamAsync();
        ulong sum = 0;
        Action<byte> action = value => sum = checked(sum + value);
        await foreach (byte value in ReadPlainAsync(stream, _buffer))
        {
            action(value);
        }

        return sum;
    }

    // The same with LINQ's AggregateAsync.
    private async ValueTask<ulong> AsyncBytesReduceAsync()
    {
        await using Stream stream = await _source.OpenStreamAsync();
        return await ReadPlainAsync(stream, _buffer).AggregateAsync(0UL, ReduceWalk.Add);
    }

    private static async IAsyncEnumerable<byte> ReadPlainAsync(Stream stream, int bufferBytes)
    {
        byte[] buffer = new byte[bufferBytes];
        int read;
        while ((read = await stream.ReadAsync(buffer)) > 0)
        {
            for (int i = 0; i < read; i++)
            {
                yield return buffer[i];
            }
        }
    }

    // Millrace's byte sequence, with await foreach.
    private async ValueTask<ulong> MillraceBytesAwaitForEachAsync()
    {
        PipeReader reader = await OpenPipeAsync().ConfigureAwait(false);
        ulong sum = 0;
        await foreach (byte value in reader.ReadBytesAsync())
        {
            sum = checked(sum + value);
        }

        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    }

    private async ValueTask<ulong> MillraceBytesForEachAsync()
    {
        PipeReader reader = await OpenPipeAsync().ConfigureAwait(false);
        ulong sum = 0;
        await reader.ReadBytesAsync().ForEachAsync(value => sum = checked(sum + value)).ConfigureAwait(false);
        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    }

    private async ValueTask<ulong> MillraceBytesReduceAsync()
    {
        PipeReader reader = await OpenPipeAsync().ConfigureAwait(false);
        ulong sum = await reader.ReadBytesAsync().AggregateAsync(0UL, ReduceWalk.Add).ConfigureAwait(false);
        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    }

    // ForEachSegmentAsync, and every byte of the span.
    private async ValueTask<ulong> MillraceBytesSpanAsync()
    {
        PipeReader reader = await OpenPipeAsync().ConfigureAwait(false);
        ulong sum = 0;
        await reader.ForEachSegmentAsync(span => sum = checked(sum + SpanWalk.Sum(span))).ConfigureAwait(false);
        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    }

    private async ValueTask<ulong> MillraceBytesVectorAsync()
    {
        PipeReader reader = await OpenPipeAsync().ConfigureAwait(false);
        ulong sum = 0;
        await reader.ForEachSegmentAsync(span => sum = checked(sum + VectorWalk.Sum(span))).ConfigureAwait(false);
        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    }
}
#pragma warning restore CA2007
