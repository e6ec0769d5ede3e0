using Millrace.Lab.Suites.Transfers;

namespace Millrace.Lab.Suites.Serving;

/// <summary>A request to one of the servers, which run in a separate process.</summary>
/// <param name="Server">Where the process of the servers answers.</param>
/// <param name="Requests">How many requests an invocation is.</param>
/// <param name="Connections">How many connections share them.</param>
internal sealed record ServerCase(
    string Method,
    Uri Server,
    TestFile Source,
    HttpVersionOf Http,
    ServedWork Work,
    int Requests = 1,
    int Connections = 1,
    string? Role = null)
    : PlannedCase(Method, Role)
{
    /// <summary>The only group: all cases share rounds.</summary>
    public const string Only = "server";

    /// <summary>The response of an application that serves no file.</summary>
    public const string Text = "Hello, world!";

    public const string Download = "download";
    public const string Upload = "upload";

    public override bool IsBaseline =>
        Method == (Work == ServedWork.UploadToStore ? WebServer.ServeKestrel : WebServer.Stock);

    public bool IsUpload =>
        Work is ServedWork.UploadToNothing or ServedWork.UploadToFile or ServedWork.UploadToStore or ServedWork.GrpcUpload;

    public bool IsGrpc => Work is ServedWork.GrpcDownload or ServedWork.GrpcUpload;

    /// <summary>Whether the client is a program that others wrote.</summary>
    public bool UsesProgram => Http == HttpVersionOf.Http2 || Requests > 1;

    public override string? Foreign => UsesProgram ? "the client is a separate process, h2load" : null;

    public override bool NeedsServer => true;

    public override TestFile CachedFile => Source;

    protected override string IdleGroup => Only;

    protected override string MissingCases => UsesProgram && LoadProgram.WhyNot is not null ? "cases with h2load" : $"rows {Method}";

    public override CaseParameters Parameters => new()
    {
        Bytes = (Work == ServedWork.Text ? Text.Length : Source.Bytes) * Requests,
        Options = (Http == HttpVersionOf.Http1 ? "HTTP/1.1" : "HTTP/2") + Work switch
        {
            ServedWork.UploadToNothing => " to nothing",
            ServedWork.UploadToFile => " to a file",
            ServedWork.UploadToStore => " to a store",
            ServedWork.GrpcDownload => ", gRPC",
            ServedWork.GrpcUpload => ", gRPC to a file",
            _ => "",
        } + (Requests == 1 ? "" : string.Create(
            CultureInfo.InvariantCulture,
            $", {Requests} {(Work == ServedWork.Text ? "texts" : $"files of {ByteSize.ToText(Source.Bytes)}")} over {Connections} connections")),
        Direction = IsUpload ? Upload : Download,
        Digest = Work == ServedWork.UploadToStore ? TransfersSuite.Sha256 : null,
        Durability = Work == ServedWork.UploadToStore ? TransfersSuite.Commit : null,
        Cache = CacheNames.Hot,
        Processes = 2,
    };

    public string Result => Path.Combine(
        IsGrpc ? ServerFolders.Store(Folder, Method) : ServerFolders.FolderOf(Folder, Method), ServerFolders.UploadedName);

    public string Folder => Path.GetDirectoryName(Path.GetDirectoryName(Source.Path))!;

    public override CaseMethod Create() => new ServedRequests(this);

    public override CaseState CreateState(CacheControl? cache) => new ServerState(this, cache, Server, WebServers.QueryOf(Method));

    public override void Clear() => ServerFolders.Clear(Folder);

    public override void Verify()
    {
        if (Work is ServedWork.UploadToFile or ServedWork.UploadToStore or ServedWork.GrpcUpload)
        {
            TransferContent.Verify(Result, Source);
        }
    }

    protected override string? Obstacle() => base.Obstacle()
        ?? (UsesProgram ? LoadProgram.WhyNot : null)
        ?? (Method == WebServer.Nginx ? NginxServer.WhyNot : null);
}

/// <summary>Also reads the meters of the server around an invocation.</summary>
/// <param name="server">Where it answers; null when the case does without it.</param>
/// <param name="query">See <see cref="ServerMeters.Begin"/>.</param>
internal sealed class ServerState(PlannedCase planned, CacheControl? cache, Uri? server, string query = "") : CaseState(planned, cache)
{
    private ServerReading? _before;
    private ServerUse? _server;

    public override ServerUse? Server => _server;

    public override string? Prepare()
    {
        string? violation = base.Prepare();
        _before = server is null ? null : ServerMeters.Begin(server, query);
        return violation;
    }

    public override void Finish()
    {
        _server = server is null ? null : ServerUse.Between(_before!, ServerMeters.End(server, query));
        base.Finish();
    }
}

internal enum HttpVersionOf
{
    Http1,
    Http2,
}

internal enum ServedWork
{
    /// <summary>The source.</summary>
    Download,

    /// <summary>A short text, which no file holds.</summary>
    Text,

    UploadToNothing,

    /// <summary>With a FileStream, as an application does.</summary>
    UploadToFile,

    /// <summary>With its digest, and on the device before the answer.</summary>
    UploadToStore,

    /// <summary>Millrace's service, without a digest unless it was requested.</summary>
    GrpcDownload,

    /// <summary>Millrace's service, without a digest and without waiting for the device.</summary>
    GrpcUpload,
}

/// <summary>The servers, which are the methods of the suite.</summary>
internal static class WebServer
{
    /// <summary>An application on unmodified Kestrel, without TLS.</summary>
    public const string Stock = "Stock";

    /// <summary>The same application with UseMillraceSockets.</summary>
    public const string MillraceSockets = "MillraceSockets";

    /// <summary>What `millrace serve --transport kestrel` runs.</summary>
    public const string ServeKestrel = "ServeKestrel";

    /// <summary>What `millrace serve` runs.</summary>
    public const string Serve = "Serve";

    public const string Nginx = "Nginx";

    public static readonly string[] All = [Stock, MillraceSockets, ServeKestrel, Serve, Nginx];
}
