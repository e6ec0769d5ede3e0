namespace Millrace.Transfer.S3;

/// <summary>A file that is being written to an <see cref="S3FileStore"/>.</summary>
internal sealed class S3FileWriter(
    Publisher publisher, TransferName name, WritePrecondition precondition, Multipart multipart, PartWriter body)
    : StoredFileWriter
{
    private bool _published;
    private bool _disposed;

    public override PipeWriter Output => body;

    public override async ValueTask<StoredFile> CommitAsync(Sha256Digest? expected, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        await body.SettleAsync(isLast: true, cancellationToken);
        Sha256Digest digest = body.ToDigest();
        if (expected is { } wanted && digest != wanted)
        {
            throw Errors.WrongDigest(name, wanted, digest);
        }

        StoredFile file;
        try
        {
            file = body.Progress.Tags is { Count: > 0 } tags
                ? await publisher.CompleteAsync(name, precondition, multipart, tags, digest, cancellationToken)
                : await publisher.PutAsync(name, precondition, body.Tail, multipart, digest, cancellationToken);
        }
        catch (AmazonS3Exception exception)
        {
            throw S3Errors.Translate(exception, name.Value);
        }

        _published = true;
        return file;
    }

    public override async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        await body.DisposeAsync();
        if (_published)
        {
            return;
        }

        body.ReleaseCharge();
        await multipart.AbortAsync();
    }
}
