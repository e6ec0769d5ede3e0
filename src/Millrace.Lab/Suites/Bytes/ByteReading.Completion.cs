using BenchmarkDotNet.Attributes;

namespace Millrace.Lab.Suites.Bytes;

public partial class ByteReading
{
    /// <summary>All bytes in one array, handed to a callback when they are there; `for` by index.</summary>
    [Benchmark]
    public ValueTask<long> CompletionFor() => RunAsync(static self => self.CompletionAsync<ForWalk>());

    /// <summary>All bytes in one array, handed to a callback when they are there; a delegate called for every byte.</summary>
    [Benchmark]
    public ValueTask<long> CompletionForEach() => RunAsync(static self => self.CompletionAsync<ForEachWalk>());

    /// <summary>All bytes in one array, handed to a callback when they are there; LINQ's Aggregate.</summary>
    [Benchmark]
    public ValueTask<long> CompletionReduce() => RunAsync(static self => self.CompletionAsync<ReduceWalk>());

    /// <summary>All bytes in one array, handed to a callback when they are there; a span and `for`.</summary>
    [Benchmark]
    public ValueTask<long> CompletionSpan() => RunAsync(static self => self.CompletionAsync<SpanWalk>());

    /// <summary>All bytes in one array, handed to a callback when they are there; a span and Vector&lt;T&gt;.</summary>
    [Benchmark]
    public ValueTask<long> CompletionVector() => RunAsync(static self => self.CompletionAsync<VectorWalk>());

    private async ValueTask<ulong> CompletionAsync<TWalk>()
        where TWalk : struct, IByteWalk
    {
        var done = new TaskCompletionSource<ulong>();
        _ = Source.ReadAllAsync().ContinueWith(
            read =>
            {
                if (read.IsCompletedSuccessfully)
                {
                    done.SetResult(TWalk.Sum(read.Result));
                }
                else
                {
                    done.SetException(read.Exception?.InnerException ?? new OperationCanceledException());
                }
            },
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        return await done.Task.ConfigureAwait(false);
    }
}
