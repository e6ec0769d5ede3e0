using Millrace.Lab.Data;
using Millrace.Lab.GrpcCore;
using Millrace.Lab.Interop;
using Millrace.Lab.Meters;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// Before an invocation, no copy, and the file in the page cache; after it, the server's meters are read, and the copy is
/// compared and removed.
/// </summary>
/// <param name="planned">The case.</param>
/// <param name="source">Controls the cache of what is moved; null in warm-ups.</param>
internal sealed class TransferState(TransferCase planned, CacheControl? source) : IIterationState
{
    private ServerReading? _before;
    private long? _foreignBefore;

    /// <inheritdoc/>
    public ServerUse? Server { get; private set; }

    /// <inheritdoc/>
    public long ForeignCpuNs { get; private set; }

    /// <inheritdoc/>
    public string? Prepare(LabCase labCase)
    {
        string? violation = Prepare(planned, source);

        // Last: what is prepared is not the transfer's.
        _before = planned.Ends.Server is { } server ? ServerMeters.Begin(server, planned.CoreChunk) : null;
        _foreignBefore = ForeignCpu();
        return violation;
    }

    /// <inheritdoc/>
    public long? ServerLargeObjects() =>
        planned.Ends.Server is { } server && planned.CoreChunk is null ? ServerMeters.LargeObjectBytes(server) : null;

    /// <inheritdoc/>
    public void Finish(LabCase labCase)
    {
        // The first invocation starts the process.
        ForeignCpuNs = (ForeignCpu() - _foreignBefore) ?? 0;
        Server = _before is not null && planned.Ends.Server is { } server
            ? ServerUse.Between(_before, ServerMeters.End(server, planned.CoreChunk))
            : null;
        TransferContent.Verify(planned.Result, planned.Source);
        TransferFolders.Clear(planned.Ends.Folder);
    }

    private long? ForeignCpu() => OperatingSystem.IsLinux() && planned.Foreign is not null && CoreClient.Id is { } process
        ? ProcessClock.Read(process)
        : null;

    /// <summary>The same for a case that no engine runs.</summary>
    public static string? Prepare(TransferCase planned, CacheControl? source)
    {
        TransferFolders.Clear(planned.Ends.Folder);
        return source?.Prepare(CacheState.Hot, CacheFill.LargeWrites);
    }
}
