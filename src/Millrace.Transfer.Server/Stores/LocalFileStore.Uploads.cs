using System.Collections.Concurrent;

namespace Millrace.Transfer.Server;

/// <summary>Uploads.</summary>
public sealed partial class LocalFileStore
{
    /// <summary>Longest <see cref="StartUploadOptions.Metadata"/>, in bytes of UTF-8.</summary>
    private const int MaxMetadataBytes = 4096;

    private readonly ConcurrentDictionary<UploadId, LocalUpload> _uploads = new();
    private readonly string _uploadsPath;

    /// <inheritdoc/>
    public async ValueTask<UploadStatus> StartUploadAsync(
        StartUploadOptions options, CancellationToken cancellationToken)
    {
        LocalUpload upload = await StartAsync(options, UploadRecord.Of(options), cancellationToken).ConfigureAwait(false);
        return upload.ToStatus();
    }

    /// <inheritdoc/>
    public async ValueTask<UploadStatus?> FindUploadAsync(
        UploadId id, bool takeOver, CancellationToken cancellationToken)
    {
        if (TryFindUpload(id) is not { } upload)
        {
            return null;
        }

        if (takeOver && !upload.Record.IsPublished)
        {
            try
            {
                upload.Leave(await upload.EnterAsync(cancellationToken).ConfigureAwait(false));
            }
            catch (TransferException exception) when (exception.Error == TransferError.NotFound)
            {
                return null;
            }
        }

        return upload.ToStatus();
    }

    /// <inheritdoc/>
    public async ValueTask<UploadWriter> AppendUploadAsync(
        UploadId id, long offset, bool discardable, CancellationToken cancellationToken)
    {
        LocalUpload upload = FindUpload(id);
        CancellationTokenSource holder = await upload.EnterAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            long there = upload.Offset;
            if (upload.Record.IsPublished || there == upload.Record.Length)
            {
                throw StoreErrors.HasAll(id, there);
            }

            if (there != offset)
            {
                throw StoreErrors.WrongOffset(id, offset, there);
            }

            if (discardable)
            {
                await upload.SaveAsync(upload.Record with { Verified = offset }).ConfigureAwait(false);
            }
            else
            {
                upload.Touch();
            }

            return Append(upload, holder, offset);
        }
        catch (Exception exception)
        {
            upload.Leave(holder);
            if (exception is FilePipeException)
            {
                throw StoreErrors.Translate(exception, "continue", upload.Record.ToName());
            }

            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<UploadStatus> SetUploadLengthAsync(
        UploadId id, long length, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        LocalUpload upload = FindUpload(id);
        if (upload.Record.Length == length)
        {
            // Nobody has to be stopped for what is known.
            return upload.ToStatus();
        }

        CancellationTokenSource holder = await upload.EnterAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            long there = upload.Offset;
            if ((upload.Record.Length ?? length) != length || there > length)
            {
                throw new TransferException(
                    TransferError.InvalidRequest,
                    upload.Record.Length is { } said
                        ? $"The upload '{id}' cannot have {length} bytes: {said} were said before."
                        : $"The upload '{id}' cannot have {length} bytes: {there} are there already.")
                {
                    Offset = there,
                };
            }

            TransferName name = upload.Record.ToName();
            Limits.CheckFile(name, length);
            long more = Math.Max(0, length - upload.Taken);
            await Limits.TakeAsync(name, more, cancellationToken).ConfigureAwait(false);
            upload.Taken += more;
            await upload.SaveAsync(upload.Record with { Length = length }).ConfigureAwait(false);
            return upload.ToStatus();
        }
        finally
        {
            upload.Leave(holder);
        }
    }

    /// <inheritdoc/>
    public async ValueTask<bool> AbortUploadAsync(UploadId id, CancellationToken cancellationToken)
    {
        if (Load(id) is not { } upload)
        {
            return false;
        }

        CancellationTokenSource holder;
        try
        {
            holder = await upload.EnterAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            return false;
        }

        try
        {
            Remove(upload);
            return true;
        }
        finally
        {
            upload.Leave(holder);
        }
    }

    /// <inheritdoc/>
    public async ValueTask<int> ExpireUploadsAsync(CancellationToken cancellationToken)
    {
        int expired = 0;
        foreach (string folder in Directory.EnumerateDirectories(_uploadsPath))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!UploadId.TryParse(Path.GetFileName(folder), out UploadId id))
            {
                continue;
            }

            LocalUpload? upload = Load(id);
            if (upload is null)
            {
                // Begun and never finished beginning, or damaged: its folder is all that tells its age.
                if (Now.UtcDateTime - Directory.GetLastWriteTimeUtc(folder) > Options.UploadLifetime)
                {
                    TryDeleteFolder(folder);
                    expired++;
                }
            }
            else if (upload.HasExpired)
            {
                // Of a published one only the memory goes that it was one.
                bool unfinished = !upload.Record.IsPublished;
                if (await AbortUploadAsync(id, cancellationToken).ConfigureAwait(false) && unfinished)
                {
                    expired++;
                }
            }
        }

        return expired;
    }

    private LocalUploadWriter Append(LocalUpload upload, CancellationTokenSource holder, long offset)
    {
        TransferName name = upload.Record.ToName();
        long? length = upload.Record.Length;
        Limits.CheckDevice(name, length - offset ?? 0);
        FilePipeWriter file = OpenData(upload, length is not null && Native && Limits.AppliesToAll ? length.Value : 0);
        try
        {
            return new LocalUploadWriter(this, upload, holder, file, Limit(file, name, length), reserved: length is not null);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>The upload's data, to be written on. Never committed under the name that is given here.</summary>
    private FilePipeWriter OpenData(LocalUpload upload, long reserve) => FilePipe.Resume(
        upload.DataPath,
        upload.DataPath + ".whole",
        new FileWriteOptions { Durability = Options.Durability, PreallocationSize = reserve, Portable = Options.Portable });

    private async ValueTask<LocalUpload> StartAsync(
        StartUploadOptions options, UploadRecord record, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        cancellationToken.ThrowIfCancellationRequested();
        if (options.Metadata is { } metadata && System.Text.Encoding.UTF8.GetByteCount(metadata) > MaxMetadataBytes)
        {
            throw new TransferException(
                TransferError.InvalidRequest, $"The metadata of an upload may have {MaxMetadataBytes} bytes. Send less.");
        }

        long length = record.Length ?? 0;
        ArgumentOutOfRangeException.ThrowIfNegative(length, nameof(options));
        Limits.CheckFile(options.Name, length);
        if (!options.Name.IsRoot)
        {
            await CheckAsync(options.Name, options.Precondition, cancellationToken).ConfigureAwait(false);
        }

        Limits.CheckDevice(options.Name, length);
        await Limits.TakeAsync(options.Name, length, cancellationToken).ConfigureAwait(false);
        UploadId id = UploadId.Next();
        string folder = Path.Combine(_uploadsPath, id.Value);
        var upload = new LocalUpload(id, folder, record, Now, Options) { Taken = length };
        try
        {
            Directory.CreateDirectory(folder);
            File.WriteAllBytes(upload.DataPath, []);

            // Which makes the data's name durable with it.
            await upload.SaveAsync(record).ConfigureAwait(false);
            FlushUploads();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            Limits.Release(length);
            TryDeleteFolder(folder);
            throw StoreErrors.Translate(exception, "begin the upload of", options.Name);
        }

        _uploads[id] = upload;
        return upload;
    }

    private LocalUpload FindUpload(UploadId id) => TryFindUpload(id) ?? throw StoreErrors.NoUpload(id);

    private LocalUpload? TryFindUpload(UploadId id) => Load(id) is { HasExpired: false } upload ? upload : null;

    private LocalUpload? Load(UploadId id) =>
        id.Value is not null && _uploads.TryGetValue(id, out LocalUpload? upload) ? upload : null;

    /// <summary>Finds what earlier processes have left, whole or in the middle of something.</summary>
    private void FindUploads()
    {
        foreach (string folder in Directory.EnumerateDirectories(_uploadsPath))
        {
            if (UploadId.TryParse(Path.GetFileName(folder), out UploadId id)
                && LocalUpload.TryLoad(id, folder, Options) is { } upload)
            {
                FinishPublishing(upload);
                upload.Taken = upload.Record.IsPublished ? 0 : upload.Record.Length ?? upload.Offset;
                Limits.TakeFound(upload.Taken);
                _uploads[id] = upload;
            }
        }
    }

    private void Remove(LocalUpload upload)
    {
        upload.IsGone = true;
        _uploads.TryRemove(upload.Id, out _);
        Limits.Release(upload.Taken);
        upload.Taken = 0;
        upload.DropDigest();
        TryDeleteFolder(upload.Folder);
    }

    private void FlushUploads()
    {
        if (Native && Options.Durability != Durability.None)
        {
            using var uploads = new NativeFolder(Millrace.Interop.Folder.Open(_uploadsPath));
            uploads.Flush();
        }
    }

    private static void TryDeleteFolder(string folder)
    {
        try
        {
            Directory.Delete(folder, recursive: true);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Gone already, or left to the next look for expired uploads.
        }
    }
}
