using BenchmarkDotNet.Attributes;
using Millrace.Lab.Running;

namespace Millrace.Lab.Meters;

/// <summary>An invocation that does nothing: what is measured of it is the measuring itself.</summary>
public class EmptyBenchmark : IMeasuredBenchmark
{
    /// <summary>BenchmarkDotNet's cases need a parameter.</summary>
    [Params(0)]
    public int Value { get; set; }

    /// <inheritdoc/>
    public long CallingThreadTicks => 0;

    /// <inheritdoc/>
    public bool DescribesItself { get; set; }

    /// <inheritdoc/>
    public string? Description => null;

    /// <inheritdoc/>
    public string? DescriptionReason => null;

    /// <summary>Nothing.</summary>
    [Benchmark]
    public void Nothing()
    {
    }
}
