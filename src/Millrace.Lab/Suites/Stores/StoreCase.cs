using Millrace.Lab.Suites.Serving;
using Millrace.Lab.Suites.Transfers;

namespace Millrace.Lab.Suites.Stores;

/// <summary>A file on its way to the bucket, or back.</summary>
/// <param name="Server">Where the process of <see cref="BucketServer"/> answers.</param>
internal sealed record StoreCase(string Method, LabBucket Bucket, Uri Server, TestFile Source, string Direction, string? Role = null)
    : PlannedCase(Method, Role)
{
    /// <summary>The only group: all cases share rounds.</summary>
    public const string Only = "stores";

    private static readonly HttpClient Client = new(new SocketsHttpHandler { UseProxy = false });

    public override bool IsBaseline => Method == StoreMethod.Rclone;

    public bool UsesProgram => Method is not (StoreMethod.Millrace or StoreMethod.MillraceRedirected);

    public bool IsUpload => Direction == TransfersSuite.Upload;

    public override string? Foreign => UsesProgram ? "the client is a separate process, rclone" : null;

    public override bool NeedsServer => true;

    public override TestFile CachedFile => Source;

    protected override string IdleGroup => Only;

    protected override string MissingCases => $"rows {Method}";

    public override CaseParameters Parameters => new()
    {
        Bytes = Source.Bytes,
        Direction = Direction,
        Cache = CacheNames.Hot,
    };

    /// <summary>The object that an upload makes, and a download reads. Each program reads its own object, with its own digest.</summary>
    public string ObjectName => IsUpload ? $"uploaded-{Method}" : BucketServer.NameOf(Method, Source);

    public string Downloaded => Path.Combine(Path.GetDirectoryName(Path.GetDirectoryName(Source.Path)!)!, $"downloaded-{Method}.bin");

    public override CaseMethod Create() => new StoredFile(this);

    public override CaseState CreateState(CacheControl? cache) =>
        new ServerState(this, cache, UsesProgram ? null : Server);

    public override void Clear()
    {
        File.Delete(Downloaded);
        if (IsUpload)
        {
            using HttpResponseMessage response = Client.Send(new HttpRequestMessage(HttpMethod.Delete, Url()));
            if (!response.IsSuccessStatusCode && response.StatusCode != HttpStatusCode.NotFound)
            {
                throw new IOException($"{ObjectName} could not be deleted from the bucket: {response.StatusCode}.");
            }
        }
    }

    public override void Verify()
    {
        if (IsUpload)
        {
            Uri url = Url();
            using var client = new RawHttpClient(url);
            client.Get(url.AbsolutePath, Source, compares: true);
        }
        else
        {
            TransferContent.Verify(Downloaded, Source);
        }
    }

    protected override string? Obstacle() => base.Obstacle() ?? (UsesProgram ? RcloneProgram.WhyNot : null);

    private Uri Url() => new(BucketServer.Find(Server), ObjectName);
}
