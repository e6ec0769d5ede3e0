using BenchmarkDotNet.Attributes;
using Millrace.Lab.Running;

namespace Millrace.Lab.Tests.Running;

/// <summary>A benchmark class whose methods do something known.</summary>
public class FakeBenchmark : IMeasuredBenchmark
{
    public static IList<string> Calls { get; } = [];

    [Params(0)]
    public int Value { get; set; }

    public long CallingThreadTicks => 0;

    public bool DescribesItself { get; set; }

    public string? Description => null;

    public string? DescriptionReason => null;

    private int _calls;

    [Benchmark(Baseline = true)]
    public void Good() => Calls.Add($"Good {Value}");

    [Benchmark]
    public async Task GoodAsync()
    {
        await Task.Yield();
        Calls.Add($"GoodAsync {Value}");
    }

    [Benchmark]
    public void FailsTheThirdTime()
    {
        Calls.Add($"FailsTheThirdTime {Value}");
        if (++_calls == 3)
        {
            throw new InvalidOperationException("third time");
        }
    }

    [Benchmark]
    public async ValueTask<int> FailsAsync()
    {
        await Task.Yield();
        throw new InvalidOperationException("from another thread");
    }
}
