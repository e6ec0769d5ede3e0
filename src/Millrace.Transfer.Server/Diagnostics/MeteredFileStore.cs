namespace Millrace.Transfer.Server;

/// <summary>Counts what happens to uploads, whatever store they are in.</summary>
internal sealed class MeteredFileStore : IFileStore
{
    private readonly IFileStore _store;
    private readonly TransferMeter _meter;

    public MeteredFileStore(IFileStore store, TransferMeter meter)
    {
        _store = store;
        _meter = meter;

        // What it does by itself does not pass through here.
        (store as LocalFileStore)?.TellExpiredTo(count => meter.Upload("expired", count));
    }

    /// <summary>The store itself.</summary>
    public IFileStore Store => _store;

    public long? MaxFileBytes => _store.MaxFileBytes;

    public ValueTask<StoredFile?> FindAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        _store.FindAsync(name, digest, cancellationToken);

    public ValueTask<StoredFileReader> OpenReadAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        _store.OpenReadAsync(name, digest, cancellationToken);

    public ValueTask<StoredFileWriter> CreateAsync(
        TransferName name, CreateFileOptions options, CancellationToken cancellationToken) =>
        _store.CreateAsync(name, options, cancellationToken);

    public ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken) =>
        _store.ListAsync(options, cancellationToken);

    public ValueTask<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken) =>
        _store.DeleteAsync(name, precondition, cancellationToken);

    public async ValueTask<UploadStatus> StartUploadAsync(
        StartUploadOptions options, CancellationToken cancellationToken)
    {
        UploadStatus status = await _store.StartUploadAsync(options, cancellationToken).ConfigureAwait(false);
        _meter.Upload("started");
        return status;
    }

    public ValueTask<UploadStatus?> FindUploadAsync(UploadId id, bool takeOver, CancellationToken cancellationToken) =>
        _store.FindUploadAsync(id, takeOver, cancellationToken);

    public async ValueTask<UploadWriter> AppendUploadAsync(
        UploadId id, long offset, bool discardable, CancellationToken cancellationToken)
    {
        UploadWriter writer = await _store
            .AppendUploadAsync(id, offset, discardable, cancellationToken)
            .ConfigureAwait(false);
        if (offset > 0)
        {
            _meter.Upload("resumed");
        }

        return new MeteredUploadWriter(writer, _meter);
    }

    public ValueTask<UploadStatus> SetUploadLengthAsync(
        UploadId id, long length, CancellationToken cancellationToken) =>
        _store.SetUploadLengthAsync(id, length, cancellationToken);

    public async ValueTask<StoredFile> CompleteUploadAsync(
        UploadId id, Sha256Digest? expected, CancellationToken cancellationToken)
    {
        StoredFile file = await _store.CompleteUploadAsync(id, expected, cancellationToken).ConfigureAwait(false);
        _meter.Upload("completed");
        return file;
    }

    public async ValueTask<UploadStatus> JoinUploadsAsync(
        StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
    {
        UploadStatus status = await _store.JoinUploadsAsync(options, parts, cancellationToken).ConfigureAwait(false);
        _meter.Upload("joined");
        return status;
    }

    public async ValueTask<bool> AbortUploadAsync(UploadId id, CancellationToken cancellationToken)
    {
        bool was = await _store.AbortUploadAsync(id, cancellationToken).ConfigureAwait(false);
        _meter.Upload("aborted", was ? 1 : 0);
        return was;
    }

    public async ValueTask<int> ExpireUploadsAsync(CancellationToken cancellationToken)
    {
        int expired = await _store.ExpireUploadsAsync(cancellationToken).ConfigureAwait(false);
        _meter.Upload("expired", expired);
        return expired;
    }
}
