using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>Each step of an upload as a separate request.</summary>
internal static class UploadCalls
{
    public static async ValueTask<UploadStatus> StartUploadAsync(
        this IFileStore store, StartUploadOptions options, CancellationToken cancellationToken)
    {
        await using StoredUpload upload = await store.Uploads.StartAsync(options, cancellationToken);
        return upload.Status;
    }

    /// <returns>Null if there is none, or it was deleted while this waited for it.</returns>
    public static async ValueTask<UploadStatus?> FindUploadAsync(
        this IFileStore store, UploadId id, bool takeOver, CancellationToken cancellationToken)
    {
        await using StoredUpload? upload = await store.Uploads.FindAsync(id, cancellationToken);
        try
        {
            if (takeOver && upload is not null)
            {
                await upload.TakeOverAsync(cancellationToken);
            }

            return upload?.Status;
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            return null;
        }
    }

    public static async ValueTask<UploadWriter> AppendUploadAsync(
        this IFileStore store, UploadId id, long offset, bool discardable, CancellationToken cancellationToken)
    {
        StoredUpload upload = await store.OpenUploadAsync(id, cancellationToken);
        try
        {
            return new OwningWriter(upload, await upload.AppendAsync(offset, discardable, cancellationToken));
        }
        catch
        {
            await upload.DisposeAsync();
            throw;
        }
    }

    public static async ValueTask<UploadStatus> SetUploadLengthAsync(
        this IFileStore store, UploadId id, long length, CancellationToken cancellationToken)
    {
        await using StoredUpload upload = await store.OpenUploadAsync(id, cancellationToken);
        await upload.SetLengthAsync(length, cancellationToken);
        return upload.Status;
    }

    public static async ValueTask<StoredFile> CompleteUploadAsync(
        this IFileStore store, UploadId id, Sha256Digest? expected, CancellationToken cancellationToken)
    {
        await using StoredUpload upload = await store.OpenUploadAsync(id, cancellationToken);
        return await upload.CompleteAsync(expected, cancellationToken);
    }

    public static async ValueTask<UploadStatus> JoinUploadsAsync(
        this IFileStore store, StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
    {
        await using StoredUpload upload = await store.Uploads.JoinAsync(options, parts, cancellationToken);
        return upload.Status;
    }

    public static async ValueTask<bool> AbortUploadAsync(this IFileStore store, UploadId id, CancellationToken cancellationToken)
    {
        await using StoredUpload? upload = await store.Uploads.FindAsync(id, cancellationToken);
        return upload is not null && await upload.DeleteAsync(cancellationToken);
    }

    public static ValueTask<int> ExpireUploadsAsync(this IFileStore store, CancellationToken cancellationToken) =>
        store.Uploads.ExpireAsync(cancellationToken);

    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>.</exception>
    public static async ValueTask<StoredUpload> OpenUploadAsync(
        this IFileStore store, UploadId id, CancellationToken cancellationToken) =>
        await store.Uploads.FindAsync(id, cancellationToken)
        ?? throw new TransferException(TransferError.NotFound, $"There is no upload {id}.");

    /// <summary>A writer with the upload that it is for.</summary>
    private sealed class OwningWriter(StoredUpload upload, UploadWriter writer) : UploadWriter
    {
        public override PipeWriter Output => writer.Output;

        public override CancellationToken Superseded => writer.Superseded;

        public override long Offset => writer.Offset;

        public override long RemainingBytes => writer.RemainingBytes;

        public override ValueTask<bool> TryCopyAsync(StoredFileReader source, Millrace.Transfer.ByteRange range, CancellationToken cancellationToken) =>
            writer.TryCopyAsync(source, range, cancellationToken);

        public override ValueTask<UploadStatus> SaveAsync(CancellationToken cancellationToken) => writer.SaveAsync(cancellationToken);

        public override ValueTask DiscardAsync() => writer.DiscardAsync();

        public override async ValueTask DisposeAsync()
        {
            await writer.DisposeAsync();
            await upload.DisposeAsync();
        }
    }
}
