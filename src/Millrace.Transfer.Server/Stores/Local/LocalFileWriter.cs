using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>A file on its way into a <see cref="LocalFileStore"/>.</summary>
internal sealed class LocalFileWriter(
    LocalFileStore store, TransferName name, CreateFileOptions options, StoreFolder folder, FilePipeWriter body)
    : StoredFileWriter
{
    public override PipeWriter Body => body;

    public override async ValueTask<StoredFile> CommitAsync(
        Sha256Digest? expected, CancellationToken cancellationToken)
    {
        SemaphoreSlim entered = await store.Locks.EnterAsync(name, cancellationToken).ConfigureAwait(false);
        try
        {
            options.Precondition.ThrowIfNotMet(name, store.Find(name));
            await body.CommitAsync(cancellationToken).ConfigureAwait(false);
            return store.Find(name) ?? throw StoreErrors.NoFile(name);
        }
        catch (FilePipeException exception)
        {
            throw StoreErrors.Translate(exception, "publish", name);
        }
        finally
        {
            entered.Release();
        }
    }

    public override async ValueTask DisposeAsync()
    {
        await body.DisposeAsync().ConfigureAwait(false);
        folder.Dispose();
    }
}
