using Millrace.Lab.Data;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The suite "transfers": every way to move a file between two processes.</summary>
public sealed class TransfersSuite : Suite
{
    private readonly TransfersLimits? _limits;
    private readonly long _large = TransfersPlan.LargeSize;

    /// <summary>The suite as users run it.</summary>
    public TransfersSuite()
    {
    }

    internal TransfersSuite(TransfersLimits limits, long large)
    {
        _limits = limits;
        _large = large;
    }

    /// <inheritdoc/>
    public override string Name => "transfers";

    /// <inheritdoc/>
    public override string Description =>
        "every way to upload and to download a file over loopback, with digests and without";

    /// <inheritdoc/>
    public override IReadOnlyList<string> ExampleFilters { get; } = ["Http1/*/65536/*", "HttpClient*/*/65536/*"];

    internal override IReadOnlyList<string> Methods => TransfersPlan.Methods;

    internal override SuiteInputs TakeInputs(LabOptions options)
    {
        string data = Path.GetFullPath(options.DataFolder ?? DataFolder.Default);
        var inputs = TransfersInputs.In(data, options.Mode, _large);
        IReadOnlyList<TransferCase> plan = TransfersPlan.Select(options, inputs, server: null);
        if (options.FilePath is not null)
        {
            throw new NoCaseException(
                "The suite transfers moves files that it makes, and takes none with --file. Name the folder, and so the disk, "
                + "with --data.");
        }

        var hold = DataFolderLock.Take(data);
        try
        {
            // Once, before the first process: a store knows a file by when it was last changed.
            TransferFolders.Make(inputs.Folder);
            foreach (TestFile file in plan.Select(entry => entry.Source).Append(inputs.Small).Distinct())
            {
                CacheControl.EstablishOrExplain(file, CacheFill.LargeWrites);
            }

            return new SuiteInputs(inputs.Files, hold);
        }
        catch
        {
            hold.Dispose();
            throw;
        }
    }

    internal override bool NeedsServer(LabOptions options, IReadOnlyList<TestFile> files) =>
        TransfersPlan.Select(options, new TransfersInputs(files), server: null).Any(entry => entry.Ends.Server is not null);

    internal override IServedFiles Serve(IReadOnlyList<TestFile> files) =>
        ServerEnd.Start(new TransfersInputs(files).Folder, processes: 2);

    internal override LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop)
    {
        using var session = new LaunchSession(request, progress, stop);
        return new TransfersLaunch(request, Limits(request.Options.Mode), session).Run();
    }

    internal override MemoryResult MeasureMemory(MemoryRequest request)
    {
        var inputs = new TransfersInputs(request.Inputs);
        return TransfersMemory.Measure(TransfersPlan.Select(request.Options, inputs, request.Server)[request.Plan], inputs);
    }

    internal override IReadOnlyList<BarResult> Bars(LabResults results) => TransfersBars.Check(results);

    internal override string? Finding(LabResults results) => TransfersFinding.Sentence(results);

    internal override TransfersLimits Limits(LabMode mode) =>
        _limits ?? (mode == LabMode.Quick ? TransfersLimits.Quick : TransfersLimits.Full);
}
