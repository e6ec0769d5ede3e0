using System.Collections.Concurrent;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>Uploads.</summary>
public sealed partial class LocalFileStore
{
    private readonly ConcurrentDictionary<UploadId, LocalUpload> _uploads = new();
    private readonly string _uploadsPath;

    /// <inheritdoc/>
    public ValueTask<UploadStatus> StartUploadAsync(StartUploadOptions options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        cancellationToken.ThrowIfCancellationRequested();
        if (!options.Name.IsRoot)
        {
            options.Precondition.ThrowIfNotMet(options.Name, Find(options.Name));
        }

        LocalUpload upload = Start(UploadRecord.Of(options, Now));
        return new ValueTask<UploadStatus>(upload.Status(Options.UploadLifetime));
    }

    /// <inheritdoc/>
    public async ValueTask<UploadStatus?> FindUploadAsync(
        UploadId id, bool takeOver, CancellationToken cancellationToken)
    {
        if (TryFindUpload(id) is not { } upload)
        {
            return null;
        }

        if (takeOver)
        {
            upload.Leave(await upload.EnterAsync(cancellationToken).ConfigureAwait(false));
        }

        return upload.Status(Options.UploadLifetime);
    }

    /// <inheritdoc/>
    public async ValueTask<UploadWriter> AppendUploadAsync(
        UploadId id, long offset, bool discardable, CancellationToken cancellationToken)
    {
        LocalUpload upload = TryFindUpload(id) ?? throw StoreErrors.NoUpload(id);
        CancellationTokenSource holder = await upload.EnterAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (upload.Record.IsPublished || upload.Offset == upload.Record.Length)
            {
                throw new TransferException(
                    TransferError.UploadComplete, $"The upload '{id}' has all its {upload.Offset} bytes already.")
                {
                    Offset = upload.Offset,
                };
            }

            if (upload.Offset != offset)
            {
                throw StoreErrors.WrongOffset(id, offset, upload.Offset);
            }

            upload.Save(upload.Record with { Touched = Now, Verified = discardable ? offset : null });
            return new LocalUploadWriter(this, upload, holder, offset);
        }
        catch
        {
            upload.Leave(holder);
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<UploadStatus> SetUploadLengthAsync(
        UploadId id, long length, CancellationToken cancellationToken)
    {
        LocalUpload upload = TryFindUpload(id) ?? throw StoreErrors.NoUpload(id);
        CancellationTokenSource holder = await upload.EnterAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if ((upload.Record.Length ?? length) != length || upload.Offset > length)
            {
                throw new TransferException(
                    TransferError.InvalidRequest,
                    $"The upload '{id}' cannot have {length} bytes: {upload.Record.Length} were said before, and {upload.Offset} are there.");
            }

            upload.Save(upload.Record with { Length = length });
            return upload.Status(Options.UploadLifetime);
        }
        finally
        {
            upload.Leave(holder);
        }
    }

    /// <inheritdoc/>
    public async ValueTask<StoredFile> CompleteUploadAsync(
        UploadId id, Sha256Digest? expected, CancellationToken cancellationToken)
    {
        LocalUpload upload = TryFindUpload(id) ?? throw StoreErrors.NoUpload(id);
        CancellationTokenSource holder = await upload.EnterAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            UploadRecord record = upload.Record;
            TransferName name = record.ToName();
            if (record.IsPublished)
            {
                return record.Published!.ToFile(name);
            }

            if (name.IsRoot || record.Length != upload.Offset)
            {
                throw new TransferException(
                    TransferError.InvalidRequest,
                    name.IsRoot
                        ? $"The upload '{id}' is only a part of others and has no name."
                        : $"The upload '{id}' has {upload.Offset} of {record.Length} bytes. Send the rest, then complete it.")
                {
                    Offset = upload.Offset,
                };
            }

            Sha256Digest digest;
            using (SafeFileHandle data = File.OpenHandle(upload.DataPath))
            {
                digest = await HashAsync(data, cancellationToken).ConfigureAwait(false);
            }

            Sha256Digest? wanted = expected ?? upload.Status(default).Expected;
            if (wanted is { } must && must != digest)
            {
                Remove(upload);
                throw StoreErrors.WrongDigest(name, must, digest);
            }

            StoredFile file = await PublishAsync(upload, name, cancellationToken).ConfigureAwait(false)
                with { Sha256 = digest };
            upload.Save(record with
            {
                IsPublished = true,
                Published = new PublishedRecord(
                    file.Length, (file.Modified - DateTimeOffset.UnixEpoch).Ticks * 100, file.Tag.Value, digest.ToString()),
                Touched = Now,
            });
            return file;
        }
        finally
        {
            upload.Leave(holder);
        }
    }

    /// <inheritdoc/>
    public async ValueTask<UploadStatus> JoinUploadsAsync(
        StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(parts);
        options.Precondition.ThrowIfNotMet(options.Name, Find(options.Name));
        long length = 0;
        foreach (UploadId part in parts)
        {
            LocalUpload upload = TryFindUpload(part) ?? throw StoreErrors.NoUpload(part);
            if (!upload.Record.ToName().IsRoot || upload.Record.Length != upload.Offset)
            {
                throw new TransferException(
                    TransferError.InvalidRequest, $"The upload '{part}' is no finished part. Finish it, then join it.");
            }

            length += upload.Offset;
        }

        LocalUpload whole = Start(
            UploadRecord.Of(options, Now) with { Length = length, Parts = [.. parts.Select(static part => part.Value)] });
        using (var data = new FileStream(whole.DataPath, FileMode.Append))
        {
            foreach (UploadId part in parts)
            {
                using var source = new FileStream(
                    TryFindUpload(part)!.DataPath, FileMode.Open, FileAccess.Read);
                await source.CopyToAsync(data, cancellationToken).ConfigureAwait(false);
            }

            data.Flush(flushToDisk: true);
        }

        return whole.Status(Options.UploadLifetime);
    }

    /// <inheritdoc/>
    public async ValueTask<bool> AbortUploadAsync(UploadId id, CancellationToken cancellationToken)
    {
        if (TryFindUpload(id) is not { } upload)
        {
            return false;
        }

        CancellationTokenSource holder = await upload.EnterAsync(cancellationToken).ConfigureAwait(false);
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
            if (UploadId.TryParse(Path.GetFileName(folder), out UploadId id)
                && Load(id) is { } upload
                && HasExpired(upload)
                && await AbortUploadAsync(id, cancellationToken).ConfigureAwait(false))
            {
                expired++;
            }
        }

        return expired;
    }

    private async ValueTask<StoredFile> PublishAsync(
        LocalUpload upload, TransferName name, CancellationToken cancellationToken)
    {
        SemaphoreSlim entered = await Locks.EnterAsync(name, cancellationToken).ConfigureAwait(false);
        try
        {
            upload.Record.ToPrecondition().ThrowIfNotMet(name, Find(name));
            using StoreFolder folder = _tree.TryOpenFolderOf(name, create: true, out string fileName)!;
            File.Move(upload.DataPath, folder.PathOf(fileName), overwrite: !upload.Record.MustNotExist);
            return Find(name) ?? throw StoreErrors.NoFile(name);
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw StoreErrors.Translate(exception, "publish", name);
        }
        finally
        {
            entered.Release();
        }
    }

    private LocalUpload Start(UploadRecord record)
    {
        UploadId id = UploadId.Next();
        string folder = Path.Combine(_uploadsPath, id.Value);
        Directory.CreateDirectory(folder);
        var upload = new LocalUpload(id, folder, record);
        File.WriteAllBytes(upload.DataPath, []);
        upload.Save(record);
        _uploads[id] = upload;
        return upload;
    }

    private LocalUpload? TryFindUpload(UploadId id) =>
        Load(id) is { } upload && !HasExpired(upload) ? upload : null;

    private LocalUpload? Load(UploadId id)
    {
        if (id.Value is null)
        {
            return null;
        }

        if (!_uploads.TryGetValue(id, out LocalUpload? upload))
        {
            LocalUpload? loaded = LocalUpload.TryLoad(id, Path.Combine(_uploadsPath, id.Value));
            upload = loaded is null ? null : _uploads.GetOrAdd(id, loaded);
        }

        return upload;
    }

    private bool HasExpired(LocalUpload upload) => upload.Record.Touched + Options.UploadLifetime < Now;

    private void Remove(LocalUpload upload)
    {
        _uploads.TryRemove(upload.Id, out _);
        Directory.Delete(upload.Folder, recursive: true);
    }
}
