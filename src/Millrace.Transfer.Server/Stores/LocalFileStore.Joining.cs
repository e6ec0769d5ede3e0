namespace Millrace.Transfer.Server;

public sealed partial class LocalFileStore
{
    /// <inheritdoc/>
    /// <remarks>The kernel copies the parts where it can. They stay until they are deleted or expire.</remarks>
    public async ValueTask<UploadStatus> JoinUploadsAsync(
        StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(parts);
        long length = 0;
        foreach (UploadId part in parts)
        {
            LocalUpload upload = FindUpload(part);
            if (!upload.Name.IsRoot || upload.Record.Length != upload.Offset)
            {
                throw new TransferException(
                    TransferError.InvalidRequest, $"The upload '{part}' is not a finished part. Finish it, then join it.");
            }

            length += upload.Offset;
        }

        UploadRecord record = UploadRecord.Of(options) with
        {
            Length = length,
            Parts = [.. parts.Select(static part => part.Value)],
        };
        LocalUpload whole = await StartAsync(options, record, cancellationToken).ConfigureAwait(false);
        try
        {
            await JoinAsync(whole, parts, cancellationToken).ConfigureAwait(false);
            return whole.ToStatus();
        }
        catch (Exception exception)
        {
            Remove(whole);
            if (exception is FilePipeException)
            {
                throw StoreErrors.Translate(exception, "join", options.Name);
            }

            throw;
        }
    }

    private async ValueTask JoinAsync(
        LocalUpload whole, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
    {
        FilePipeWriter data = OpenData(whole, reserve: 0);
        await using (data.ConfigureAwait(false))
        {
            foreach (UploadId part in parts)
            {
                LocalUpload upload = FindUpload(part);

                // Held, so that nobody deletes it meanwhile.
                using TakeoverLock.Holder holder = await upload.AcquireAsync(cancellationToken).ConfigureAwait(false);
                using FilePipeReader source = FilePipe.OpenRead(
                    upload.DataPath);
                await source.CopyToAsync(data, cancellationToken).ConfigureAwait(false);
            }

            await data.FlushToDeviceAsync(cancellationToken).ConfigureAwait(false);
            if (data.Position != whole.Record.Length)
            {
                throw new TransferException(TransferError.Changed, "The parts changed while they were joined. Join them again.");
            }
        }
    }
}
