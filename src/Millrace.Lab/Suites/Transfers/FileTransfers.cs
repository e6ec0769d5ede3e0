using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// Every way to move a file between two ends. One invocation makes a new file at the other end that is like the first. All rows
/// are <see cref="TransferMethod"/>s.
/// </summary>
internal sealed class FileTransfers : CaseMethod
{
    // Of the cases whose ends share a process.
    private static readonly Shared<ServerEnd> OwnServer = new();

    private readonly TransferCase _planned;
    private readonly TransferMethod _row;
    private readonly TestFile _source;
    private readonly TransferEnds _ends;
    private readonly Uri _server;
    private readonly string _downloaded;
    private readonly bool _isDownload;

    // Made by the first invocation, which is not measured: requests that a client makes once are not part of a transfer.
    private TransferClient? _client;
    private Uri? _plainServer;
    private GrpcFilesClient? _grpcClient;
    private RawClient? _rawClient;

    public FileTransfers(TransferCase planned)
    {
        _planned = planned;
        _row = TransferMethod.Find(planned.Method);
        _source = planned.Source;
        _ends = planned.Ends;
        _isDownload = planned.Direction == TransferDirection.Download;
        _downloaded = TransferFolders.Downloaded(_ends.Folder);
        _server = _ends switch
        {
            { Server: null } => OwnServer.Acquire(() => ServerEnd.Start(_ends.Folder)).Address,
            { Server: { } near, Link: { } link } => LinkEndpoints.Find(near, link).Server,
            { Server: { } server } => server,
        };
    }

    private bool WithGzip => _planned.Compression == TransferCompression.Gzip;

    public override Func<long> Find(string name) => OperatingSystem.IsLinux() && _row.IsRaw ? MoveRaw : Wait(
        _row.Peers is not null ? MoveInMessagesAsync
        : _row.IsPlain ? MovePlainlyAsync
        : MoveAsync);

    public override void Dispose()
    {
        base.Dispose();
        _client?.Dispose();
        _grpcClient?.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _rawClient?.Dispose();
        if (_ends.Server is null)
        {
            OwnServer.Release();
        }
    }

    // Two processes, a socket and nothing else.
    [SupportedOSPlatform("linux")]
    private long MoveRaw()
    {
        _rawClient ??= RawClient.Connect(_server, _planned.Buffer);
        if (_isDownload)
        {
            _rawClient.Download(_source, _downloaded);
        }
        else
        {
            _rawClient.Upload(_source, TransferFolders.UploadedName);
        }

        return _source.Bytes;
    }

    // HttpClient and Kestrel, FileStreams, and CopyToAsync: an application's code today without a library.
    private async ValueTask<long> MovePlainlyAsync()
    {
        _plainServer ??= _row.IsHttp2 ? new Uri("http://" + await GrpcServers.FindAsync(_server, GrpcLibrary.Net).ConfigureAwait(false)) : _server;
        var client = new PlainClient(
            _plainServer, _planned.Buffer, _row.HasDigest, _planned.Durability != Durability.None, WithGzip, _row.IsHttp2);
        return await MoveByAsync(client.DownloadAsync, client.UploadAsync).ConfigureAwait(false);
    }

    // The libraries of gRPC that others wrote, with an array for each message.
    private async ValueTask<long> MoveInMessagesAsync()
    {
        _grpcClient ??= new GrpcFilesClient(
            _row.Peers!, await GrpcServers.FindAsync(_server, _row.Peers!.Server).ConfigureAwait(false), _planned.Buffer, WithGzip);
        return await MoveByAsync(_grpcClient.DownloadAsync, _grpcClient.UploadAsync).ConfigureAwait(false);
    }

    private async ValueTask<long> MoveByAsync(Func<TestFile, string, Task> download, Func<TestFile, string, Task> upload)
    {
        await (_isDownload ? download(_source, _downloaded) : upload(_source, TransferFolders.UploadedName)).ConfigureAwait(false);
        return _source.Bytes;
    }

    // Millrace's client.
    private async ValueTask<long> MoveAsync()
    {
        _client ??= await ConnectAsync().ConfigureAwait(false);
        TransferResult result = _isDownload
            ? await _client.GetAsync(TransferName.Parse(Path.GetFileName(_source.Path)), _downloaded).ConfigureAwait(false)
            : await _client.PutAsync(_source.Path, TransferName.Parse(TransferFolders.UploadedName)).ConfigureAwait(false);
        if (result.Attempts != 1 || _row.HasDigest != result.Sha256 is not null || result.Protocol != _row.Protocol)
        {
            throw new IOException(
                $"{result.Name} took {result.Attempts} attempts over {result.Protocol} and has the digest {result.Sha256}: "
                + "not the measured transfer.");
        }

        if (DescribesItself)
        {
            Description = _row.Protocol.ToString();
        }

        return result.Length;
    }

    private async ValueTask<TransferClient> ConnectAsync()
    {
        if (_planned.Compression != TransferCompression.None && !_row.HasCompression)
        {
            throw new NotSupportedException($"{_row.Name} does not compress files, and {_planned.Compression} was asked for.");
        }

        return new TransferClient(
            (await FindServerAsync().ConfigureAwait(false)).Files,
            new TransferClientOptions
            {
                Protocol = _row.Protocol!.Value,
                VerifyDigests = _row.HasDigest,
                Durability = _planned.Durability,
                Compression = _planned.Compression,
            });
    }

    private Task<StoreAddress> FindServerAsync()
    {
        var kind = new StoreKind(_row.HasDigest, _planned.Durability);
        return _ends is { Server: { } near, Link: { } link }
            ? LinkEndpoints.FindAsync(near, link, kind)
            : StoreServers.FindAsync(_server, kind);
    }
}
