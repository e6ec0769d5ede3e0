using BenchmarkDotNet.Attributes;
using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>
/// The benchmark: every way to read a file from its start to its end, all with the same consumer, which sums every byte.
/// One invocation opens the file, reads all of it and closes it.
/// </summary>
[MemoryDiagnoser]
public partial class FileReading : IMeasuredBenchmark
{
    private byte[] _array = [];

    /// <summary>What is read.</summary>
    [ParamsSource(nameof(DefaultFiles))]
    public TestFile Source { get; set; } = null!;

    /// <summary>How many bytes the method is asked for at a time.</summary>
    [Params(2048, 4096, 16384, 65536, 262144, 1048576)]
    public int Buffer { get; set; }

    /// <summary>How the methods on a <see cref="FileStream"/> open it; the others have no such option.</summary>
    [Params(FileOptions.SequentialScan, FileOptions.SequentialScan | FileOptions.Asynchronous)]
    public FileOptions Options { get; set; }

    /// <summary>Where the file is before an invocation.</summary>
    [Params(CacheState.Hot, CacheState.Cold)]
    public CacheState Cache { get; set; }

    /// <summary>How it got there.</summary>
    [Params(CacheFill.LargeWrites)]
    public CacheFill Fill { get; set; }

    /// <inheritdoc/>
    public long CallingThreadTicks { get; private set; }

    /// <inheritdoc/>
    public bool DescribesItself { get; set; }

    /// <inheritdoc/>
    public string? Description { get; private set; }

    /// <inheritdoc/>
    public string? DescriptionReason { get; private set; }

    /// <summary>The files that are measured unless a plan says otherwise.</summary>
    public static IEnumerable<TestFile> DefaultFiles() =>
        FilesPlan.QuickSizes.Select(bytes => TestFile.OfIncrements(DataFolder.Default, bytes));

    /// <summary>
    /// Makes the array that the methods on a plain stream read into. Once for all invocations: that is the strongest
    /// form of FileStream, and the pipes take their buffers from pools too.
    /// </summary>
    [GlobalSetup]
    public void Setup() => _array = new byte[Buffer];

    private FileStream OpenStream() =>
        new(Source.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, Options);

    private long Checked(in ReadOutcome outcome)
    {
        CallingThreadTicks = outcome.CallTicks;
        if (outcome.Sum != Source.Checksum || outcome.Bytes != Source.Bytes)
        {
            throw new WrongChecksumException(Source, outcome.Bytes, outcome.Sum);
        }

        return outcome.Sum;
    }
}
