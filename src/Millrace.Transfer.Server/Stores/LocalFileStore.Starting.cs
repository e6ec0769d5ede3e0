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
        UploadStatus status = upload.ToStatus();
        upload.ForgetRecord();
        return status;
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
            foreach (UploadId part in parts)
            {
                FinishUpload(part);
            }

            UploadStatus status = whole.ToStatus();
            whole.ForgetRecord();
            return status;
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
        whole.Reservation.Reserve(whole.Name, whole.Record.Length!.Value);
        await using FilePipeWriter data = OpenData(whole);
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
        await Limits.CheckTotalAsync(options.Name, length, cancellationToken);
        await ForgetFinishedAsync(cancellationToken);
        UploadCounts.Caller caller = Counts.Take(options.Name, options.Caller ?? options.Owner ?? "");
        var upload = new LocalUpload(UploadId.Next(), record, Options.Clock.GetUtcNow(), _whole, caller);
        try
        {
            Directory.CreateDirectory(upload.Folder);
            File.WriteAllBytes(upload.DataPath, []);

            // This makes the name of the data durable, too.
            await upload.SaveAsync(record);
            FlushFolderOfUploads();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            upload.ReleaseCount();
            TryDeleteFolder(upload.Folder);
            throw Errors.Translate(exception, "begin the upload of", options.Name);
        }

        _uploads[upload.Id] = upload;
        return upload;
    }

    /// <summary>An upload that is only kept to be asked about, or joined again, does not count any more.</summary>
    private void FinishUpload(UploadId id)
    {
        if (Load(id)?.ReleaseCount() is true)
        {
            _finished.Enqueue(id);
        }
    }

    /// <summary>Deletes the oldest finished uploads when there are too many.</summary>
    private async ValueTask ForgetFinishedAsync(CancellationToken cancellationToken)
    {
        while (_finished.Count >= Options.MaxUploads && _finished.TryDequeue(out UploadId oldest))
        {
            await AbortUploadAsync(oldest, cancellationToken);
        }
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
