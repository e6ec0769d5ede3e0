using BenchmarkDotNet.Attributes;

namespace Millrace.Lab.Suites.Bytes;

public partial class ByteReading
{
    /// <summary>One reused buffer, each increment handed to a delegate; `for` by index.</summary>
    [Benchmark]
    public ValueTask<long> IncrementsFor() => RunAsync(static self => self.IncrementsAsync<ForWalk>());

    /// <summary>One reused buffer, each increment handed to a delegate; a delegate called for every byte.</summary>
    [Benchmark]
    public ValueTask<long> IncrementsForEach() => RunAsync(static self => self.IncrementsAsync<ForEachWalk>());

    /// <summary>One reused buffer, each increment handed to a delegate; LINQ's Aggregate.</summary>
    [Benchmark]
    public ValueTask<long> IncrementsReduce() => RunAsync(static self => self.IncrementsAsync<ReduceWalk>());

    /// <summary>One reused buffer, each increment handed to a delegate; a span and `for`.</summary>
    [Benchmark(Baseline = true)]
    public ValueTask<long> IncrementsSpan() => RunAsync(static self => self.IncrementsAsync<SpanWalk>());

    /// <summary>One reused buffer, each increment handed to a delegate; a span and Vector&lt;T&gt;.</summary>
    [Benchmark]
    public ValueTask<long> IncrementsVector() => RunAsync(static self => self.IncrementsAsync<VectorWalk>());

    private async ValueTask<ulong> IncrementsAsync<TWalk>()
        where TWalk : struct, IByteWalk
    {
        Stream stream = await Source.OpenStreamAsync().ConfigureAwait(false);
        await using (stream.ConfigureAwait(false))
        {
            ulong sum = 0;
            await ReadIncrementsAsync(stream, Buffer, increment => sum = checked(sum + TWalk.Sum(increment)))
                .ConfigureAwait(false);
            return sum;
        }
    }

    private static async ValueTask ReadIncrementsAsync(Stream stream, int bufferBytes, Action<ArraySegment<byte>> take)
    {
        byte[] buffer = new byte[bufferBytes];
        int read;
        while ((read = await stream.ReadAsync(buffer).ConfigureAwait(false)) > 0)
        {
            take(new ArraySegment<byte>(buffer, 0, read));
        }
    }
}
