using BenchmarkDotNet.Attributes;
using Millrace.Lab.Running;

namespace Millrace.Lab.Tests.Running;

/// <summary>A benchmark class whose methods do something known.</summary>
public class FakeBenchmark : IMeasuredBenchmark
{
    public const int AllocatedBytes = 100_000;
    public const int ReadCalls = 5_000;

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

    [Benchmark]
    public byte[] Allocates() => new byte[AllocatedBytes];

    [Benchmark]
    public void ReadsFiles()
    {
        using Microsoft.Win32.SafeHandles.SafeFileHandle file = File.OpenHandle(typeof(FakeBenchmark).Assembly.Location);
        Span<byte> bytes = stackalloc byte[1];
        for (int i = 0; i < ReadCalls; i++)
        {
            RandomAccess.Read(file, bytes, 0);
        }
    }
}
