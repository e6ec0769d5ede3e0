using Millrace.Lab.Data;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>The suite "files": every way to read a file.</summary>
public sealed class FilesSuite : Suite
{
    private readonly FilesLimits? _limits;

    /// <summary>The suite as users run it.</summary>
    public FilesSuite()
    {
    }

    internal FilesSuite(FilesLimits limits) => _limits = limits;

    /// <inheritdoc/>
    public override string Name => "files";

    /// <inheritdoc/>
    public override string Description =>
        "every way to read a file: FileStream, pipes, mappings and Millrace's file pipes";

    /// <inheritdoc/>
    public override IReadOnlyList<string> ExampleFilters { get; } = ["FilePipe*", "FileStreamSync*"];

    internal override IReadOnlyList<string> Methods => FilesPlan.Methods;

    internal override SuiteInputs TakeInputs(LabOptions options)
    {
        string data = DataPath(options);
        var hold = DataFolderLock.Take(data);
        try
        {
            IReadOnlyList<TestFile> files = Files(options, data);
            _ = FilesPlan.Select(options, files);
            return new SuiteInputs(files, hold);
        }
        catch
        {
            hold.Dispose();
            throw;
        }
    }

    internal override LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop)
    {
        using var session = new LaunchSession(request, progress, stop);
        return new FilesLaunch(request, Limits(request.Options.Mode), session).Run();
    }

    internal override MemoryResult MeasureMemory(MemoryRequest request) =>
        FilesMemory.Measure(FilesPlan.Select(request.Options, request.Inputs)[request.Plan]);

    internal override IReadOnlyList<BarResult> Bars(LabResults results) => FilesBars.Check(results);

    internal override string? Finding(LabResults results) => FilesFinding.Sentence(results);

    /// <summary>Where generated files are.</summary>
    internal static string DataPath(LabOptions options) => Path.GetFullPath(options.DataFolder ?? DataFolder.Default);

    private static IReadOnlyList<TestFile> Files(LabOptions options, string data) => options.FilePath is { } path
        ? [UserFile.Inspect(path)]
        :
        [
            .. (options.Mode == LabMode.Quick ? FilesPlan.QuickSizes : FilesPlan.FullSizes)
                .Select(bytes => TestFile.OfIncrements(data, bytes)),
        ];

    internal override FilesLimits Limits(LabMode mode) =>
        _limits ?? (mode == LabMode.Quick ? FilesLimits.Quick : FilesLimits.Full);
}
