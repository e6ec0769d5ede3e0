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

    // Of a server behind a link, which is asked past the relay, and of the link itself.
    private LinkAddress? _link;
    private LinkWatch? _watch;

    /// <inheritdoc/>
    public ServerUse? Server { get; private set; }

    /// <inheritdoc/>
    public long ForeignCpuNs { get; private set; }

    /// <inheritdoc/>
    public double? LinkShare { get; private set; }

    private Uri? MeterAddress => _link?.Meters ?? planned.Ends.Server;

    /// <inheritdoc/>
    public string? Prepare(LabCase labCase)
    {
        string? violation = Prepare(planned, source);

        FindLink();

        // Last: what is prepared is not the transfer's.
        _before = MeterAddress is { } server ? ServerMeters.Begin(server, planned.CoreChunk) : null;
        _foreignBefore = ForeignCpu();
        _watch?.Begin();
        return violation;
    }

    /// <inheritdoc/>
    public long? ServerLargeObjects() =>
        MeterAddress is { } server && planned.CoreChunk is null ? ServerMeters.LargeObjectBytes(server) : null;

    /// <inheritdoc/>
    public void Finish(LabCase labCase)
    {
        LinkShare = _watch?.End(planned.Source.Bytes);

        // The first invocation starts the process.
        ForeignCpuNs = (ForeignCpu() - _foreignBefore) ?? 0;
        Server = _before is not null && MeterAddress is { } server
            ? ServerUse.Between(_before, ServerMeters.End(server, planned.CoreChunk))
            : null;
        TransferContent.Verify(planned.Result, planned.Source);
        TransferFolders.Clear(planned.Ends.Folder);
    }

    private void FindLink()
    {
        if (_link is null && planned.Ends is { Server: { } near, Link: { } link })
        {
            _link = LinkEndpoints.Find(near, link);
            _watch = new LinkWatch(_link.Interface, planned.Direction, link.BitsPerSecond);
        }
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
