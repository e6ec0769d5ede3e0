using Millrace.Lab.Data;
using Millrace.Lab.GrpcCore;
using Millrace.Lab.Results;
using Millrace.Lab.Running;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>A case of the plan.</summary>
/// <param name="Method">Its name in results, and in <see cref="FileTransfers"/>.</param>
/// <param name="Ends">Between what the file is moved.</param>
/// <param name="Source">The file.</param>
/// <param name="Direction">Which way.</param>
/// <param name="Buffer">
/// Bytes that the baseline of the same parameters copies at a time; over gRPC also those of a chunk.
/// </param>
/// <param name="Durability">When the copy is on the device.</param>
/// <param name="Compression">How it is coded on its way.</param>
/// <param name="Role">Null, or "noise".</param>
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

    /// <summary>Whether an end is the program of gRPC's C++ core.</summary>
    public bool UsesCore => Row.Core != CoreEnds.None;

    /// <inheritdoc/>
    public override string? Foreign =>
        Row.Core.HasFlag(CoreEnds.Client) ? "the client is a process of its own, a program of C++" : null;

    /// <inheritdoc/>
    public override Type BenchmarkClass => typeof(FileTransfers);

    /// <inheritdoc/>
    public override string BenchmarkMethod => Method;

    /// <inheritdoc/>
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

    /// <inheritdoc/>
    public override IReadOnlyDictionary<string, object> Values => new Dictionary<string, object>
    {
        [nameof(FileTransfers.Ends)] = Ends,
        [nameof(FileTransfers.Source)] = Source,
        [nameof(FileTransfers.Direction)] = Direction,
        [nameof(FileTransfers.Buffer)] = Buffer,
        [nameof(FileTransfers.Durability)] = Durability,
        [nameof(FileTransfers.Compression)] = Compression,
    };

    /// <summary>Where the copy is after an invocation.</summary>
    public string Result => Direction == TransferDirection.Download
        ? TransferFolders.Downloaded(Ends.Folder)
        : Row.IsPlain
            ? TransferFolders.Uploaded(Ends.Folder)
            : CoreChunk is not null
            ? Path.Combine(TransferFolders.Core(Ends.Folder), TransferFolders.UploadedName)
            : Path.Combine(
                TransferFolders.Store(Ends.Folder, new StoreKind(HasDigest, Durability, Row.Array != MessageArray.None), Ends.ServerNumber),
                TransferFolders.UploadedName);

    private TransferMethod Row => TransferMethods.Find(Method);

    /// <summary>The same with very little to do, for warm-ups.</summary>
    public TransferCase Small(TransfersInputs inputs) =>
        this with { Source = inputs.Small, Ends = Ends with { Link = null }, Role = null, Plan = 0 };
}
