namespace Millrace.Transfer.Server;

public sealed partial class LocalFileStore
{
    /// <summary>Longest <see cref="StartUploadOptions.Metadata"/>, in bytes of UTF-8.</summary>
    private const int MaxMetadataBytes = 4096;

    /// <inheritdoc/>
    public async ValueTask<UploadStatus> StartUploadAsync(
        StartUploadOptions options, CancellationToken cancellationToken)
    {
        LocalUpload upload = await StartAsync(options, UploadRecord.Of(options), cancellationToken);
        return upload.ToStatus();
    }

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
                throw Errors.Invalid($"The upload '{part}' is not a finished part. Finish it, then join it.");
            }

            length += upload.Offset;
        }

        UploadRecord record = UploadRecord.Of(options) with
        {
            Length = length,
            Parts = [.. parts.Select(static part => part.Value)],
        };
        LocalUpload whole = await StartAsync(options, record, cancellationToken);
        try
        {
            await JoinAsync(whole, parts, cancellationToken);
            return whole.ToStatus();
        }
        catch (Exception exception)
        {
            Remove(whole);
            if (exception is FilePipeException)
            {
                throw Errors.Translate(exception, "join", options.Name);
            }

            throw;
        }
    }

    private async ValueTask JoinAsync(
        LocalUpload whole, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
    {
        await using FilePipeWriter data = OpenData(whole, reserve: 0);
        foreach (UploadId part in parts)
        {
            LocalUpload upload = FindUpload(part);

            // Held, so that nobody deletes it meanwhile.
            using TakeoverLock.Holder holder = await upload.AcquireAsync(cancellationToken);
            using FilePipeReader source = FilePipe.OpenRead(
                upload.DataPath);
            await source.CopyToAsync(data, cancellationToken);
        }

        await data.FlushToDeviceAsync(cancellationToken);
        if (data.Position != whole.Record.Length)
        {
            throw new TransferException(TransferError.Changed, "The parts changed while they were joined. Join them again.");
        }
    }

    private async ValueTask<LocalUpload> StartAsync(
        StartUploadOptions options, UploadRecord record, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        cancellationToken.ThrowIfCancellationRequested();
        if (options.Metadata is { } metadata && System.Text.Encoding.UTF8.GetByteCount(metadata) > MaxMetadataBytes)
        {
            throw Errors.Invalid($"The metadata of an upload may have {MaxMetadataBytes} bytes. Send less.");
        }

        long length = record.Length ?? 0;
        ArgumentOutOfRangeException.ThrowIfNegative(length, nameof(options));
        Limits.CheckFile(options.Name, length);
        if (!options.Name.IsRoot)
        {
            await CheckAsync(options.Name, options.Precondition, cancellationToken);
        }

        Limits.CheckDevice(options.Name, length);
        var reservation = new Reservation(Limits);
        await reservation.ReserveAsync(options.Name, length, cancellationToken);
        UploadId id = UploadId.Next();
        string folder = Path.Combine(_uploadsPath, id.Value);
        var upload = new LocalUpload(id, folder, record, Options.Clock.GetUtcNow(), Options, reservation);
        try
        {
            Directory.CreateDirectory(folder);
            File.WriteAllBytes(upload.DataPath, []);

            // This makes the name of the data durable, too.
            await upload.SaveAsync(record);
            FlushFolderOfUploads();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            reservation.ReleaseReservation();
            TryDeleteFolder(folder);
            throw Errors.Translate(exception, "begin the upload of", options.Name);
        }

        _uploads[id] = upload;
        return upload;
    }

    private void FlushFolderOfUploads()
    {
        if (Native && Options.Durability != Durability.None)
        {
            using var uploads = new NativeFolder(Millrace.Interop.Folder.Open(_uploadsPath));
            uploads.Flush();
        }
    }
}
