using Millrace.Lab.Data;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>The suite "bytes": how bytes arrive, times how they are walked.</summary>
public sealed class BytesSuite : Suite
{
    // A server has them in its memory, and AllAtOnce in one array.
    private static readonly long LongestFile = Array.MaxLength;

    private readonly BytesLimits? _limits;
    private readonly long _length = BytesPlan.Length;

    /// <summary>The suite as users run it.</summary>
    public BytesSuite()
    {
    }

    internal BytesSuite(BytesLimits limits, long length)
    {
        _limits = limits;
        _length = length;
    }

    /// <inheritdoc/>
    public override string Name => "bytes";

    /// <inheritdoc/>
    public override string Description =>
        "every way to walk over bytes from a file or a URL: async sequences, arrays, increments, callbacks, pipes";

    /// <inheritdoc/>
    public override IReadOnlyList<string> ExampleFilters { get; } = ["MillraceBytes.*", "Increments.Span*"];

    internal override IReadOnlyList<string> Methods => BytesPlan.Methods;

    // Each pass invokes the plain async sequence again, which takes as long as all others together.
    internal override double PassesAsLaunches => 0.7;

    internal override SuiteInputs TakeInputs(LabOptions options)
    {
        string data = Path.GetFullPath(options.DataFolder ?? DataFolder.Default);
        var hold = DataFolderLock.Take(data);
        try
        {
            IReadOnlyList<TestFile> files = Files(options, data);
            _ = BytesPlan.Select(options, files, server: null);
            foreach (TestFile file in files.Where(file => file.Generated))
            {
                // A server reads them before the first launch does.
                CacheControl.EstablishOrExplain(file, CacheFill.LargeWrites);
            }

            return new SuiteInputs(files, hold);
        }
        catch
        {
            hold.Dispose();
            throw;
        }
    }

    internal override bool NeedsServer(LabOptions options, IReadOnlyList<TestFile> files) =>
        BytesPlan.Select(options, files, server: null).Any(entry => entry.Source.Address is not null);

    internal override IServedFiles Serve(ServeRequest request) => ByteServer.Start(request.Inputs);

    internal override LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop)
    {
        using var session = new LaunchSession(request, progress, stop);
        return BytesLaunch.Run(request, Limits(request.Options.Mode), session);
    }

    internal override MemoryResult MeasureMemory(MemoryRequest request)
    {
        ByteCase planned = BytesPlan.Select(request.Options, request.Inputs, request.Server)[request.Plan];
        ByteCase small = BytesPlan.Small(planned, request.Inputs);
        if (planned.Source.Address is not null)
        {
            return CaseMemory.Measure(small, planned, prepare: () => null);
        }

        using CacheControl control = CacheControl.Open(planned.Source.File);
        return CaseMemory.Measure(small, planned, () => control.Prepare(CacheState.Hot, CacheFill.LargeWrites));
    }

    internal override IReadOnlyList<BarResult> Bars(LabResults results) => BytesBars.Check(results);

    internal override string? Finding(LabResults results) => BytesFinding.Sentence(results);

    private IReadOnlyList<TestFile> Files(LabOptions options, string data)
    {
        TestFile small = TestFile.OfRandom(data, BytesPlan.WarmUpLength);
        if (options.FilePath is not { } path)
        {
            return [small, TestFile.OfFirstLines(data), TestFile.OfCsv(data), TestFile.OfRandom(data, _length)];
        }

        TestFile mine = UserFile.Inspect(path, FileContent.Random);
        return mine.Bytes <= LongestFile
            ? [small, mine]
            : throw new LabException(
                $"{path} has {ByteSize.ToText(mine.Bytes)}: ways that take all bytes at once need an array, which ends at "
                + $"{ByteSize.ToText(LongestFile)}. Name a smaller file with --file.");
    }

    internal override BytesLimits Limits(LabMode mode) =>
        _limits ?? (mode == LabMode.Quick ? BytesLimits.Quick : BytesLimits.Full);
}
