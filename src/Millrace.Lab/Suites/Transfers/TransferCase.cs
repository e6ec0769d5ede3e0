using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <param name="Buffer">
/// Bytes that the baseline of the same parameters copies at a time; of the rows over others' libraries of gRPC those of a message.
/// </param>
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
    public bool HasDigest => Row.HasDigest;

    public override bool IsBaseline => Method is TransferMethod.HttpClient or TransferMethod.HttpClientSha256;

    public override bool NeedsServer => Ends.Server is not null;

    public override TestFile CachedFile => Source;

    // Cases without a device first, and links last: the time of an invocation on loopback is known by then.
    protected override string IdleGroup => Ends.Link is not null ? TransfersSuite.Linked
        : Durability == Durability.None ? TransfersSuite.Unflushed
        : TransfersSuite.Durable;

    protected override string MissingCases => CacheControl.WhyNoHot(Source) is not null ? $"cases of {Source}"
        : Row.Peers?.WhyNot is not null ? "rows GrpcCore"
        : "cases over a link";

    public override CaseParameters Parameters => new()
    {
        Buffer = Buffer,
        Bytes = Source.Bytes,
        Content = Source.Content == FileContent.Csv ? "csv" : "random",
        Cache = CacheNames.Hot,
        Direction = Direction == TransferDirection.Download ? TransfersSuite.Download : TransfersSuite.Upload,
        Compression = Compression == TransferCompression.None ? TransfersSuite.None : TransfersSuite.Gzip,
        Digest = HasDigest ? TransfersSuite.Sha256 : TransfersSuite.None,
        Durability = Durability == Durability.None ? TransfersSuite.None : TransfersSuite.Commit,
        Transport = TransfersSuite.Sockets,
        Processes = Ends.Processes,
        RoundTripMs = Ends.Link?.RoundTripMs,
        LinkBitsPerSecond = Ends.Link?.BitsPerSecond,
        Load = IsBusy ? CaseLoad.Busy : null,
    };

    public string Result => Direction == TransferDirection.Download ? TransferFolders.Downloaded(Ends.Folder)
        : Row.IsPlain ? TransferFolders.Uploaded(Ends.Folder)
        : Path.Combine(
            TransferFolders.Store(Ends.Folder, new StoreKind(HasDigest, Durability), Ends.ServerNumber), TransferFolders.UploadedName);

    private TransferMethod Row => TransferMethod.Find(Method);

    protected override string? Obstacle() => base.Obstacle()
        ?? Row.Peers?.WhyNot
        ?? (Ends is { Server: { } near, Link: { } link } ? LinkEndpoints.WhyNot(near, link) : null);

    public override CaseMethod Create() => new FileTransfers(this);

    public override CaseState CreateState(CacheControl? cache) => new TransferState(this, cache);

    public TransferCase Small(TransfersInputs inputs) =>
        this with { Source = inputs.Small, Ends = Ends with { Link = null }, Role = null, Plan = 0 };

    public override void Clear() => TransferFolders.Clear(Ends.Folder);

    public override void Verify() => TransferContent.Verify(Result, Source);
}

/// <summary>The two ends of a transfer.</summary>
/// <param name="Server">Where a server in a separate process is; null for one that the benchmark starts in this process.</param>
/// <param name="Link">The link between the two; null for loopback alone.</param>
internal sealed record TransferEnds(string Folder, Uri? Server, LinkRates? Link = null)
{
    public int Processes => Server is null ? 1 : 2;

    /// <summary>Which of a run's servers it is: 1 in this process, 2 in a separate one, 3 across a link.</summary>
    public int ServerNumber => Link is null ? Processes : ServerEnd.Far;

    public override string ToString() =>
        Server is null ? "one process" : Link is null ? "two processes" : $"two processes, {Link}";
}

internal sealed record LinkRates(int RoundTripMs, long BitsPerSecond)
{
    public override string ToString() => FormattableString.Invariant($"{RoundTripMs} ms, {BitsPerSecond} bit/s");
}

internal enum TransferDirection
{
    Download,
    Upload,
}
