using System.IO.Pipelines;
using BenchmarkDotNet.Attributes;

namespace Millrace.Lab.Suites.Bytes;

public partial class ByteReading
{
    /// <summary>A pipe's segments; `for` by index.</summary>
    [Benchmark]
    public ValueTask<long> PipeReaderFor() => RunAsync(static self => self.PipeReaderAsync<ForWalk>());

    /// <summary>A pipe's segments; a delegate called for every byte.</summary>
    [Benchmark]
    public ValueTask<long> PipeReaderForEach() => RunAsync(static self => self.PipeReaderAsync<ForEachWalk>());

    /// <summary>A pipe's segments; LINQ's Aggregate.</summary>
    [Benchmark]
    public ValueTask<long> PipeReaderReduce() => RunAsync(static self => self.PipeReaderAsync<ReduceWalk>());

    /// <summary>A pipe's segments; a span and `for`.</summary>
    [Benchmark]
    public ValueTask<long> PipeReaderSpan() => RunAsync(static self => self.PipeReaderAsync<SpanWalk>());

    /// <summary>A pipe's segments; a span and Vector&lt;T&gt;.</summary>
    [Benchmark]
    public ValueTask<long> PipeReaderVector() => RunAsync(static self => self.PipeReaderAsync<VectorWalk>());

    private async ValueTask<ulong> PipeReaderAsync<TWalk>()
        where TWalk : struct, IByteWalk
    {
        PipeReader reader = await OpenPipeAsync().ConfigureAwait(false);
        ulong sum = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync().ConfigureAwait(false);
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                sum = checked(sum + TWalk.Sum(segment));
            }

            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                break;
            }
        }

        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    }
}
