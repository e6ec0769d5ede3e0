using System.IO.Pipelines;
using BenchmarkDotNet.Attributes;

namespace Millrace.Lab.Suites.Bytes;

public partial class ByteReading
{
    /// <summary>Millrace's byte sequence, and `await foreach`.</summary>
    [Benchmark]
    public ValueTask<long> MillraceBytesAwaitForEach() => RunAsync(static async self =>
    {
        PipeReader reader = await self.OpenPipeAsync().ConfigureAwait(false);
        ulong sum = 0;
#pragma warning disable CA2007 // The sequence's own ConfigureAwait is not known to the rule, and changes nothing here.
        await foreach (byte value in reader.ReadBytesAsync())
#pragma warning restore CA2007
        {
            sum = checked(sum + value);
        }

        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    });

    /// <summary>Its ForEachAsync.</summary>
    [Benchmark]
    public ValueTask<long> MillraceBytesForEach() => RunAsync(static async self =>
    {
        PipeReader reader = await self.OpenPipeAsync().ConfigureAwait(false);
        ulong sum = 0;
        await reader.ReadBytesAsync().ForEachAsync(value => sum = checked(sum + value)).ConfigureAwait(false);
        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    });

    /// <summary>Its AggregateAsync.</summary>
    [Benchmark]
    public ValueTask<long> MillraceBytesReduce() => RunAsync(static async self =>
    {
        PipeReader reader = await self.OpenPipeAsync().ConfigureAwait(false);
        ulong sum = await reader.ReadBytesAsync().AggregateAsync(0UL, ReduceWalk.Add).ConfigureAwait(false);
        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    });

    /// <summary>ForEachSegmentAsync, and every byte of the span.</summary>
    [Benchmark]
    public ValueTask<long> MillraceBytesSpan() => RunAsync(static async self =>
    {
        PipeReader reader = await self.OpenPipeAsync().ConfigureAwait(false);
        ulong sum = 0;
        await reader.ForEachSegmentAsync(span => sum = checked(sum + SpanWalk.Sum(span))).ConfigureAwait(false);
        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    });

    /// <summary>ForEachSegmentAsync, and <see cref="System.Numerics.Vector{T}"/> on the span.</summary>
    [Benchmark]
    public ValueTask<long> MillraceBytesVector() => RunAsync(static async self =>
    {
        PipeReader reader = await self.OpenPipeAsync().ConfigureAwait(false);
        ulong sum = 0;
        await reader.ForEachSegmentAsync(span => sum = checked(sum + VectorWalk.Sum(span))).ConfigureAwait(false);
        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    });
}
