using Millrace.Lab.Data;
using Millrace.Lab.GrpcCore;
using Millrace.Lab.Results;
using Millrace.Lab.Running;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>A case of moving a file.</summary>
/// <param name="Buffer">
/// Bytes that the baseline of the same parameters copies at a time; over gRPC also those of a chunk.
/// </param>
/// <param name="Durability">When the copy is on the device.</param>
internal sealed record TransferCase(
    string Method,
    TransferEnds Ends,
    TestFile Source,
    TransferDirection Direction,
    int Buffer,
    Durability Durability,
    TransferCompression Compression = TransferCompression.None,
    string? Role = null)
    : PlannedCase(Method, Role)
{
    /// <summary>Whether both ends compute a digest and compare.</summary>
    public bool HasDigest => Row.HasDigest;

    /// <summary>The chunks of the C++ server that it needs; null when it needs none.</summary>
    public int? CoreChunk => Row.Core.HasFlag(CoreEnds.Server) ? Buffer : null;

    public bool UsesCore => Row.Core != CoreEnds.None;

    public override bool IsBaseline => Method is TransfersPlan.Baseline or TransfersPlan.BaselineSha256;

    public override string? Foreign =>
        Row.Core.HasFlag(CoreEnds.Client) ? "the client is a process of its own, a program of C++" : null;

    public override bool NeedsServer => Ends.Server is not null;

    public override TestFile CachedFile => Source;

    // What needs no device first, and links last: what an invocation takes on loopback is known by then.
    public override string Group => Ends.Link is not null ? TransfersPlan.Linked
        : Durability == Durability.None ? TransfersPlan.Unflushed
        : TransfersPlan.Durable;

    public override string Missing => CacheControl.WhyNoHot(Source) is not null ? $"cases of {Source}"
        : UsesCore && CoreProgram.WhyNot(Data) is not null ? "rows GrpcCore"
        : "cases over a link";

    public override CaseParameters Parameters => new()
    {
        Buffer = Buffer,
        Bytes = Source.Bytes,
        Content = Source.Content == FileContent.Csv ? "csv" : "random",
        Cache = CacheNames.Hot,
        Direction = Direction == TransferDirection.Download ? TransfersPlan.Download : TransfersPlan.Upload,
        Compression = Compression == TransferCompression.None ? TransfersPlan.None : TransfersPlan.Gzip,
        Digest = HasDigest ? TransfersPlan.Sha256 : TransfersPlan.None,
        Durability = Durability == Durability.None ? TransfersPlan.None : TransfersPlan.Commit,
        Transport = TransfersPlan.Sockets,
        Processes = Ends.Processes,
        RoundTripMs = Ends.Link?.RoundTripMs,
        LinkBitsPerSecond = Ends.Link?.BitsPerSecond,
    };

    /// <summary>The path of the copy after an invocation.</summary>
    public string Result => Direction == TransferDirection.Download ? TransferFolders.Downloaded(Ends.Folder)
        : Row.IsPlain ? TransferFolders.Uploaded(Ends.Folder)
        : Path.Combine(
            CoreChunk is not null
                ? TransferFolders.Core(Ends.Folder)
                : TransferFolders.Store(Ends.Folder, new StoreKind(HasDigest, Durability, Row.Array != MessageArray.None), Ends.ServerNumber),
            TransferFolders.UploadedName);

    private TransferMethod Row => TransferMethods.Find(Method);

    private string Data => TransferFolders.DataOf(Ends.Folder);

    public override string? WhyNot() => base.WhyNot()
        ?? (UsesCore ? CoreProgram.WhyNot(Data) : null)
        ?? (Ends is { Server: { } near, Link: { } link } ? LinkEndpoints.WhyNot(near, link) : null);

    public override CaseMethod Create() => new TransferCaseMethod(this);

    public override CaseState CreateState(CacheControl? cache) => new TransferState(this, cache);

    public override ForeignProcess? StartForeign() => Foreign is null ? null : CoreClient.Hold(CoreProgram.PathIn(Data));

    /// <summary>The same with very little to do, for warm-ups.</summary>
    public TransferCase Small(TransfersInputs inputs) =>
        this with { Source = inputs.Small, Ends = Ends with { Link = null }, Role = null, Plan = 0 };

    public override void Clear() => TransferFolders.Clear(Ends.Folder);

    public override void Verify() => TransferContent.Verify(Result, Source);
}
