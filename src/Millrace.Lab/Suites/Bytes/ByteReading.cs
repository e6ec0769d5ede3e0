using System.IO.Pipelines;
using BenchmarkDotNet.Attributes;
using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>
/// The benchmark: how bytes arrive times how they are walked. One invocation opens the source, sums every byte and closes
/// it, once for every reader; readers beyond the first run at the same time.
/// </summary>
[MemoryDiagnoser]
public partial class ByteReading : IMeasuredBenchmark
{
    /// <summary>What is read.</summary>
    [ParamsSource(nameof(DefaultSources))]
    public ByteSource Source { get; set; } = null!;

    /// <summary>Bytes of an increment. Arrivals of all bytes at once have none.</summary>
    [Params(4096, 65536, 262144)]
    public int Buffer { get; set; }

    /// <summary>How many read at once, each all of the bytes.</summary>
    [Params(1, 2, 4)]
    public int Readers { get; set; } = 1;

    /// <inheritdoc/>
    public long CallingThreadTicks => 0;

    /// <inheritdoc/>
    public bool DescribesItself { get; set; }

    /// <inheritdoc/>
    public string? Description { get; private set; }

    /// <inheritdoc/>
    public string? DescriptionReason { get; private set; }

    /// <summary>The file that is measured unless a plan says otherwise.</summary>
    public static IEnumerable<ByteSource> DefaultSources() =>
        [new ByteSource(TestFile.OfRandom(DataFolder.Default, BytesPlan.Length), Address: null)];

    private async ValueTask<long> RunAsync(Func<ByteReading, ValueTask<ulong>> read)
    {
        if (Readers == 1)
        {
            return Checked(await read(this).ConfigureAwait(false));
        }

        Task<ulong>[] all = [.. Enumerable.Range(0, Readers).Select(_ => Task.Run(() => read(this).AsTask()))];
        long sum = 0;
        foreach (ulong each in await Task.WhenAll(all).ConfigureAwait(false))
        {
            sum = Checked(each);
        }

        return sum;
    }

    private long Checked(ulong sum)
    {
        if (sum != (ulong)Source.File.Checksum)
        {
            throw new WrongChecksumException(Source.File, Source.File.Bytes, (long)sum);
        }

        return (long)sum;
    }

    private async ValueTask<PipeReader> OpenPipeAsync()
    {
        PipeReader reader = await Source.OpenPipeAsync(Buffer).ConfigureAwait(false);
        if (DescribesItself && reader is FilePipeReader file)
        {
            Description = file.Strategy.ToString();
            DescriptionReason = file.StrategyReason;
        }

        return reader;
    }
}
