using System.Net;
using Millrace.Lab.Data;
using Millrace.Lab.GrpcCore;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The suite "transfers": every way to move a file between two processes.</summary>
public sealed class TransfersSuite : Suite
{
    // Arrays of a length that the pool keeps for each processor; its default is 32. HttpClient's HTTP/2 windows need more,
    // and what does not fit is new memory in every transfer. The command is started so, too.
    private const string PoolVariable = "DOTNET_SYSTEM_BUFFERS_SHAREDARRAYPOOL_MAXARRAYSPERPARTITION";
    private const string PoolArrays = "1024";

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
        "every way to upload and to download a file, by HTTP, tus, gRPC and gRPC-Web";

    /// <inheritdoc/>
    public override IReadOnlyList<string> ExampleFilters { get; } = ["Http1/*/65536/*", "GrpcDirect/*/65536/*", "HttpClient/*/65536/*"];

    internal override IReadOnlyDictionary<string, string> Environment { get; } =
        new Dictionary<string, string> { [PoolVariable] = PoolArrays };

    internal override IReadOnlyList<string> Methods => TransfersPlan.Methods;

    internal override SuiteInputs TakeInputs(LabOptions options)
    {
        string data = Path.GetFullPath(options.DataFolder ?? DataFolder.Default);
        var all = TransfersInputs.In(data, _large);
        IReadOnlyList<TransferCase> planned = TransfersPlan.Select(options, all, server: null);
        if (options.FilePath is not null)
        {
            throw new NoCaseException(
                "The suite transfers moves files that it makes, and takes none with --file. Name the folder, and so the disk, "
                + "with --data.");
        }

        TransfersInputs inputs = all.With(large: planned.Any(entry => entry.Source == all.Large));
        var hold = DataFolderLock.Take(data);
        try
        {
            // Once, before the first process: a store knows a file by when it was last changed.
            TransferFolders.Make(inputs.Folder);
            foreach (TestFile file in inputs.Files)
            {
                CacheControl.EstablishOrExplain(file, CacheFill.LargeWrites);
            }

            if (planned.Any(entry => entry.UsesCore))
            {
                CoreProgram.Make(data);
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

    internal override IServedFiles Serve(ServeRequest request) => request.Address is { } address
        ? ServerEnd.StartFar(request, IPAddress.Parse(address))
        : ServerEnd.Start(request);

    internal override LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop)
    {
        using var session = new LaunchSession(request, progress, stop) { CountsLargeObjects = true };
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
