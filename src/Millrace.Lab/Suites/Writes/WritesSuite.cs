using Millrace.Lab.Data;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Writes;

/// <summary>The suite "writes": every way to make a file, to copy and to scan one, and to append to it.</summary>
public sealed class WritesSuite : Suite
{
    private readonly WritesLimits? _limits;
    private readonly long _length = WritesPlan.LargeSize;

    /// <summary>The suite as users run it.</summary>
    public WritesSuite()
    {
    }

    internal WritesSuite(WritesLimits limits, long length)
    {
        _limits = limits;
        _length = length;
    }

    /// <inheritdoc/>
    public override string Name => "writes";

    /// <inheritdoc/>
    public override string Description =>
        "every way to write a file, durably or not, to copy one, to scan it in parts and to append records to it";

    /// <inheritdoc/>
    public override IReadOnlyList<string> ExampleFilters { get; } = ["FilePipe/*/commit", "FileStreamSync*/*/commit"];

    internal override IReadOnlyList<string> Methods => WritesPlan.Methods;

    internal override SuiteInputs TakeInputs(LabOptions options)
    {
        string data = Path.GetFullPath(options.DataFolder ?? DataFolder.Default);
        var inputs = WritesInputs.In(data, _length);
        _ = WritesPlan.Select(options, inputs);
        if (options.FilePath is not null)
        {
            throw new NoCaseException(
                "The suite writes makes the files that it measures, and takes none with --file. Name the folder, and so the "
                + "disk, with --data.");
        }

        return new SuiteInputs(inputs.Files, DataFolderLock.Take(data));
    }

    internal override LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop)
    {
        using var session = new LaunchSession(request, progress, stop);
        return new WritesLaunch(request, Limits(request.Options.Mode), session).Run();
    }

    internal override MemoryResult MeasureMemory(MemoryRequest request)
    {
        var inputs = new WritesInputs(request.Inputs);
        return WritesMemory.Measure(WritesPlan.Select(request.Options, inputs)[request.Plan], inputs);
    }

    internal override IReadOnlyList<BarResult> Bars(LabResults results) => WritesBars.Check(results);

    internal override string? Finding(LabResults results) => WritesFinding.Sentence(results);

    internal override WritesLimits Limits(LabMode mode) =>
        _limits ?? (mode == LabMode.Quick ? WritesLimits.Quick : WritesLimits.Full);
}
