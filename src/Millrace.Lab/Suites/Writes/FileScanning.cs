using System.IO.Pipelines;
using BenchmarkDotNet.Attributes;
using Millrace.Lab.Data;
using Millrace.Lab.Running;
using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Suites.Writes;

/// <summary>
/// The benchmark: one reader, or several of them each on a part. One invocation opens the file, sums its 64-bit integers or
/// counts its lines, and closes it.
/// </summary>
[MemoryDiagnoser]
public class FileScanning : IMeasuredBenchmark
{
    /// <summary>What is read.</summary>
    [ParamsSource(nameof(DefaultFiles))]
    public TestFile Source { get; set; } = null!;

    /// <summary>In how many parts at once.</summary>
    [Params(2, 4)]
    public int Degree { get; set; }

    /// <inheritdoc/>
    public long CallingThreadTicks => 0;

    /// <inheritdoc/>
    public bool DescribesItself { get; set; }

    /// <inheritdoc/>
    public string? Description { get; private set; }

    /// <inheritdoc/>
    public string? DescriptionReason { get; private set; }

    private bool IsText => Source.Content == FileContent.Csv;

    /// <summary>The file that is measured unless a plan says otherwise.</summary>
    public static IEnumerable<TestFile> DefaultFiles() => FileCopying.DefaultFiles();

    /// <summary>One reader on one thread.</summary>
    [Benchmark(Baseline = true)]
    public async ValueTask<long> FilePipe()
    {
        FilePipeReader reader = Millrace.FilePipe.OpenRead(
            Source.Path, new FileReadOptions { Strategy = ReadStrategy.Buffered });
        await using (reader.ConfigureAwait(false))
        {
            if (DescribesItself)
            {
                Description = reader.Strategy.ToString();
                DescriptionReason = reader.StrategyReason;
            }

            return Checked(IsText
                ? await CountAsync(reader, CancellationToken.None).ConfigureAwait(false)
                : await SumAsync(reader, CancellationToken.None).ConfigureAwait(false));
        }
    }

    /// <summary>A reader for each part.</summary>
    [Benchmark]
    public async ValueTask<long> FilePipeScan() => Checked(await (IsText
        ? Millrace.FilePipe.ScanAsync(Source.Path, Degree, RecordBoundary.Lines, CountAsync, Add)
        : Millrace.FilePipe.ScanAsync(Source.Path, Degree, RecordBoundary.Every(sizeof(long)), SumAsync, Add))
        .ConfigureAwait(false));

    private static long Add(long one, long other) => unchecked(one + other);

    private static async ValueTask<long> SumAsync(FilePipeReader reader, CancellationToken stop)
    {
        var checksum = default(Checksum);
        while (true)
        {
            ReadResult result = await reader.ReadAsync(stop).ConfigureAwait(false);
            checksum.Add(result.Buffer.FirstSpan);
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return checksum.Sum;
            }
        }
    }

    private static async ValueTask<long> CountAsync(FilePipeReader reader, CancellationToken stop)
    {
        long lines = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync(stop).ConfigureAwait(false);
            lines += result.Buffer.FirstSpan.Count((byte)'\n');
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return lines;
            }
        }
    }

    private long Checked(long result) => result == Source.Checksum
        ? result
        : throw new WrongChecksumException(Source, Source.Bytes, result);
}
