namespace Millrace.Transfer.S3;

/// <content>Moving and folders, as far as a bucket can do them.</content>
public sealed partial class S3FileStore
{
    private const int NotImplemented = 501;

    /// <summary>Bytes of a part where a file is copied in several.</summary>
    private const long CopyPartBytes = 1L << 30;

    /// <summary>Files of a folder that are deleted at once.</summary>
    private const int DeletedAtOnce = 8;

    /// <inheritdoc/>
    /// <remarks>
    /// The bucket copies the file, then the old name is deleted: a server that dies in between leaves both. A folder is refused with
    /// the status 501, because a bucket cannot move many objects in one step.
    /// </remarks>
    public async ValueTask<StoredFile?> MoveAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken)
    {
        ThrowIfRoot(from);
        ThrowIfRoot(to);
        if (to.IsIn(from))
        {
            throw S3Errors.Invalid($"'{from}' cannot be moved into itself. Choose another name.", from.Value);
        }

        await using NameClaim? source = options.Source.IsNone
            ? null
            : await _publisher.ClaimAsync(from, options.Source, cancellationToken);
        GetObjectMetadataResponse head = await _bucket.HeadAsync(_keys.Of(from), cancellationToken)
            ?? throw (await FolderExistsAsync(from, cancellationToken) ? Refuse(from) : S3Errors.NoFile(from));
        await ThrowIfFolderAsync(to, cancellationToken);
        await _publisher.CheckFoldersAsync(to, cancellationToken);
        WritePrecondition condition = new() { CreateNew = !options.Replace };
        await using NameClaim? target = options.Replace ? null : await _publisher.ClaimAsync(to, condition, cancellationToken);
        try
        {
            target?.ThrowIfLost();
            _absent.Remove(_keys.Of(to));
            await CopyFileAsync(from, to, head, condition, cancellationToken);
            source?.ThrowIfLost();
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            // A retry of a request whose response was lost finds its own file.
            if (await _publisher.FindAsync(to, FileMetadata.VersionOf(head), digest: null, cancellationToken) is null)
            {
                await _publisher.CheckAsync(to, condition, cancellationToken);
                throw S3Errors.IsConditionFailed(exception)
                    ? new TransferException(TransferError.Changed, $"'{from}' was replaced while it was being moved.", from.Value)
                    : S3Errors.Translate(exception, from.Value);
            }
        }

        // A move adds nothing; what it replaced, and what stays under the old name, is found by the next count.
        _quota.Deleted();
        if (await _bucket.HeadAsync(_keys.Of(from), CancellationToken.None) is { } left
            && string.Equals(left.ETag, head.ETag, StringComparison.Ordinal))
        {
            // A version that was put meanwhile stays.
            await _bucket.DeleteAsync(_keys.Of(from), CancellationToken.None);
            if (FileMetadata.DigestOf(head) is null)
            {
                await _digests.DeleteAsync(from, CancellationToken.None);
            }
        }

        return await FindAsync(to, DigestNeed.IfKnown, CancellationToken.None) ?? throw S3Errors.NoFile(to);
    }

    /// <inheritdoc/>
    /// <remarks>An empty object with the folder's name and a slash, as other tools write it. The folder above need not exist.</remarks>
    public async ValueTask CreateFolderAsync(TransferName folder, CancellationToken cancellationToken)
    {
        ThrowIfRoot(folder);
        await _publisher.CheckAsync(folder, new WritePrecondition { CreateNew = true }, cancellationToken);
        await ThrowIfFolderAsync(folder, cancellationToken);
        await _publisher.CheckFoldersAsync(folder, cancellationToken);
        if (!await _bucket.TryCreateAsync(_keys.OfFolder(folder), default, cancellationToken))
        {
            throw NameTaken(folder);
        }
    }

    /// <inheritdoc/>
    /// <remarks>
    /// One object after the other, in no particular order: a server that dies meanwhile leaves the rest. A folder that contains the
    /// prefix of another store is refused, and so is one with a key that no listing shows.
    /// </remarks>
    public async ValueTask<bool> DeleteFolderAsync(TransferName folder, CancellationToken cancellationToken)
    {
        ThrowIfRoot(folder);
        string prefix = _keys.OfFolder(folder);
        bool any = false;
        int omitted = 0;
        await foreach (S3Object found in _bucket.ListAllAsync(prefix, cancellationToken))
        {
            any = true;
            if (Keys.IsHidden(found.Key.AsSpan(prefix.Length)))
            {
                throw S3Errors.Invalid($"The folder '{folder}' contains the prefix of another store. Delete that first.", folder.Value);
            }

            omitted += _keys.IsOmitted(found.Key) ? 1 : 0;
        }

        if (omitted > 0)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                $"The folder '{folder}' is not deleted: {omitted} of the keys in it are no valid names and in no listing. Delete or rename them in the bucket, then try again.",
                folder.Value)
            {
                Status = 409,
                Omitted = omitted,
            };
        }

        await Parallel.ForEachAsync(
            _bucket.ListAllAsync(prefix, cancellationToken),
            new ParallelOptions { MaxDegreeOfParallelism = DeletedAtOnce, CancellationToken = cancellationToken },
            async (found, cancellation) =>
            {
                await _bucket.DeleteAsync(found.Key, cancellation);
                _quota.Deleted();
                if (_keys.TryName(found.Key, out TransferName name))
                {
                    await _digests.DeleteAsync(name, cancellation);
                }
            });
        return any;
    }

    private async ValueTask CopyFileAsync(
        TransferName from, TransferName to, GetObjectMetadataResponse head, WritePrecondition condition,
        CancellationToken cancellationToken)
    {
        string version = FileMetadata.VersionOf(head);
        if (FileMetadata.DigestOf(head) is null && await _digests.ReadAsync(from, version, cancellationToken) is { } digest)
        {
            await _digests.WriteAsync(to, version, digest, cancellationToken);
        }

        // Only some services look at a condition when they copy; all look at it when they write, and parts become a file at once.
        if (condition.CreateNew && head.ContentLength <= S3FileStoreOptions.MinPartBytes)
        {
            await RewriteAsync(from, to, head, cancellationToken);
            return;
        }

        if (!condition.CreateNew && head.ContentLength <= MaxCopyBytes)
        {
            await _bucket.Client.CopyObjectAsync(
                new CopyObjectRequest
                {
                    SourceBucket = _bucket.Name,
                    SourceKey = _keys.Of(from),
                    DestinationBucket = _bucket.Name,
                    DestinationKey = _keys.Of(to),
                    ETagToMatch = FileMetadata.Unquote(head.ETag),
                },
                cancellationToken);
            return;
        }

        var multipart = new Multipart(_bucket, _keys.Of(to), version, like: head);
        string uploadId = await multipart.CreateAsync(cancellationToken);
        try
        {
            var tags = new List<string>();
            for (long at = 0; at < head.ContentLength; at += CopyPartBytes)
            {
                CopyPartResponse part = await _bucket.Client.CopyPartAsync(
                    new CopyPartRequest
                    {
                        SourceBucket = _bucket.Name,
                        SourceKey = _keys.Of(from),
                        DestinationBucket = _bucket.Name,
                        DestinationKey = multipart.Key,
                        UploadId = uploadId,
                        PartNumber = tags.Count + 1,
                        FirstByte = at,
                        LastByte = Math.Min(at + CopyPartBytes, head.ContentLength) - 1,
                        ETagToMatch = [FileMetadata.Unquote(head.ETag)],
                    },
                    cancellationToken);
                tags.Add(FileMetadata.Unquote(part.ETag));
            }

            await _publisher.CheckAsync(to, condition, cancellationToken);
            await multipart.CompleteAsync(tags, condition, cancellationToken);
        }
        catch
        {
            await multipart.AbortAsync(CancellationToken.None);
            throw;
        }
    }

    /// <summary>Reads a small file and writes it under a new name, if there is nothing yet.</summary>
    private async ValueTask RewriteAsync(
        TransferName from, TransferName to, GetObjectMetadataResponse head, CancellationToken cancellationToken)
    {
        using PartBuffer content = await _memory.RentAsync(Math.Max(1, head.ContentLength), cancellationToken);
        await FillAsync(content, _keys.Of(from), FileMetadata.Unquote(head.ETag), head.ContentLength, cancellationToken);
        PutObjectRequest request = _bucket.PutRequest(_keys.Of(to), content);
        request.IfNoneMatch = "*";
        FileMetadata.Copy(head, request.Headers, request.Metadata);
        await _bucket.Client.PutObjectAsync(request, cancellationToken);
    }

    private async ValueTask ThrowIfFolderAsync(TransferName name, CancellationToken cancellationToken)
    {
        if (await FolderExistsAsync(name, cancellationToken))
        {
            throw NameTaken(name);
        }
    }

    private static TransferException NameTaken(TransferName name) => new(
        TransferError.AlreadyExists, $"'{name}' exists already. Choose another name.", name.Value);

    private static TransferException Refuse(TransferName folder) => new(
        TransferError.InvalidRequest,
        $"The folder '{folder}' cannot be moved: a bucket cannot move many files in one step. Move its files.",
        folder.Value)
    {
        Status = NotImplemented,
    };
}
