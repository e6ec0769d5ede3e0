using BenchmarkDotNet.Attributes;

namespace Millrace.Lab.Suites.Bytes;

public partial class ByteReading
{
    /// <summary>All bytes in one array; `for` by index.</summary>
    [Benchmark]
    public ValueTask<long> AllAtOnceFor() => RunAsync(static self => self.AllAtOnceAsync<ForWalk>());

    /// <summary>All bytes in one array; a delegate called for every byte.</summary>
    [Benchmark]
    public ValueTask<long> AllAtOnceForEach() => RunAsync(static self => self.AllAtOnceAsync<ForEachWalk>());

    /// <summary>All bytes in one array; LINQ's Aggregate.</summary>
    [Benchmark]
    public ValueTask<long> AllAtOnceReduce() => RunAsync(static self => self.AllAtOnceAsync<ReduceWalk>());

    /// <summary>All bytes in one array; a span and `for`.</summary>
    [Benchmark]
    public ValueTask<long> AllAtOnceSpan() => RunAsync(static self => self.AllAtOnceAsync<SpanWalk>());

    /// <summary>All bytes in one array; a span and Vector&lt;T&gt;.</summary>
    [Benchmark]
    public ValueTask<long> AllAtOnceVector() => RunAsync(static self => self.AllAtOnceAsync<VectorWalk>());

    private async ValueTask<ulong> AllAtOnceAsync<TWalk>()
        where TWalk : struct, IByteWalk =>
        TWalk.Sum(await Source.ReadAllAsync().ConfigureAwait(false));
}
