namespace Millrace.Transfer.Server;

/// <summary>An upload around another one, which changes some of its members.</summary>
internal abstract class ForwardingUpload(StoredUpload inner) : StoredUpload
{
    public override UploadStatus Status => inner.Status;

    protected StoredUpload Inner => inner;

    public override ValueTask TakeOverAsync(CancellationToken cancellationToken) => inner.TakeOverAsync(cancellationToken);

    public override ValueTask SetLengthAsync(long length, CancellationToken cancellationToken) => inner.SetLengthAsync(length, cancellationToken);

    public override ValueTask<UploadWriter> AppendAsync(long offset, bool discardable, CancellationToken cancellationToken) =>
        inner.AppendAsync(offset, discardable, cancellationToken);

    public override ValueTask<StoredFile> CompleteAsync(Sha256Digest? expected, CancellationToken cancellationToken) =>
        inner.CompleteAsync(expected, cancellationToken);

    public override ValueTask<bool> DeleteAsync(CancellationToken cancellationToken) => inner.DeleteAsync(cancellationToken);

    public override ValueTask DisposeAsync() => inner.DisposeAsync();
}
