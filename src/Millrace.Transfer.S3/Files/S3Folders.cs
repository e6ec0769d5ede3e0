namespace Millrace.Transfer.S3;

/// <summary>Moves files, and creates and deletes folders, as far as a bucket can do that. Thread-safe.</summary>
internal sealed class S3Folders(S3Store store, S3Files files, Publisher publisher, S3Upkeep upkeep)
{
    private const int NotImplemented = 501;

    /// <summary>Files of a folder that are deleted at once.</summary>
    private const int DeletedAtOnce = 8;

    public async ValueTask<StoredFile?> MoveAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken)
    {
        GetObjectMetadataResponse head = await CopyAsync(from, to, options, isMove: true, cancellationToken);

        // A move adds nothing; the next count finds a replaced file, and one that stays under the old name.
        store.Quota.Deleted();
        if (await store.Bucket.HeadAsync(store.Keys.Of(from), CancellationToken.None) is { } left
            && string.Equals(left.ETag, head.ETag, StringComparison.Ordinal))
        {
            // A version that was put meanwhile stays.
            await store.Bucket.DeleteAsync(store.Keys.Of(from), CancellationToken.None);
            if (FileMetadata.DigestOf(head) is null)
            {
                await store.Digests.DeleteAsync(from, CancellationToken.None);
            }
        }

        return await files.FindAsync(to, DigestNeed.IfKnown, CancellationToken.None) ?? throw Errors.NoFile(to);
    }

    public async ValueTask<StoredFile> CopyAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken)
    {
        await CopyAsync(from, to, options, isMove: false, cancellationToken);
        return await files.FindAsync(to, DigestNeed.IfKnown, CancellationToken.None) ?? throw Errors.NoFile(to);
    }

    /// <summary>Only a new object can have other metadata; the bucket makes it of the old one.</summary>
    public async ValueTask<StoredFile> SetModifiedAsync(
        TransferName name, FileTime modified, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        S3Files.ThrowIfRoot(name);
        await using NameClaim claim = await publisher.ClaimAsync(name, precondition, cancellationToken);
        GetObjectMetadataResponse head = await store.Bucket.HeadAsync(store.Keys.Of(name), cancellationToken) ?? throw Errors.NoFile(name);
        if (head.ContentLength > Multipart.MaxCopyBytes)
        {
            throw Errors.Invalid($"The time of '{name}' is not changed: the bucket would have to copy more than 5 GiB.", name.Value);
        }

        Sha256Digest? digest = FileMetadata.DigestOf(head)
            ?? await store.Digests.ReadAsync(name, FileMetadata.VersionOf(head), cancellationToken);
        var request = new CopyObjectRequest
        {
            SourceBucket = store.Bucket.Name,
            SourceKey = store.Keys.Of(name),
            DestinationBucket = store.Bucket.Name,
            DestinationKey = store.Keys.Of(name),
            ETagToMatch = FileMetadata.Unquote(head.ETag),
            MetadataDirective = S3MetadataDirective.REPLACE,
        };
        FileMetadata.Copy(head, request.Headers, request.Metadata);
        request.ContentType = head.Headers.ContentType;
        request.Metadata[FileMetadata.Modified] = modified.ToString();
        if (digest is { } known)
        {
            request.Metadata[FileMetadata.Sha256] = known.ToString();
        }

        try
        {
            claim.ThrowIfLost();
            await store.Bucket.Client.CopyObjectAsync(request, cancellationToken.Begin());
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.IsConditionFailed(exception)
                ? new TransferException(TransferError.Changed, $"'{name}' was replaced meanwhile.", name.Value)
                : S3Errors.Translate(exception, name.Value);
        }

        return await files.FindAsync(name, DigestNeed.IfKnown, CancellationToken.None) ?? throw Errors.NoFile(name);
    }

    public async ValueTask CreateAsync(TransferName folder, CancellationToken cancellationToken)
    {
        S3Files.ThrowIfRoot(folder);
        await publisher.CheckAsync(folder, new WritePrecondition { CreateNew = true }, cancellationToken);
        await ThrowIfFolderAsync(folder, cancellationToken);
        await publisher.CheckFoldersAsync(folder, cancellationToken);
        if (!await store.Bucket.TryCreateAsync(store.Keys.OfFolder(folder), default, cancellationToken.Begin()))
        {
            throw NameTaken(folder);
        }
    }

    public async ValueTask<bool> DeleteAsync(TransferName folder, CancellationToken cancellationToken)
    {
        S3Files.ThrowIfRoot(folder);
        string prefix = store.Keys.OfFolder(folder);
        bool any = false;
        int omitted = 0;
        long bytes = 0;
        await foreach (S3Object found in store.Bucket.ListAllAsync(prefix, cancellationToken))
        {
            any = true;
            bytes += found.Size ?? 0;
            if (Keys.IsHidden(found.Key.AsSpan(prefix.Length)))
            {
                throw Errors.Invalid($"The folder '{folder}' contains the prefix of another store. Delete that first.", folder.Value);
            }

            omitted += store.Keys.IsOmitted(found.Key) ? 1 : 0;
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

        cancellationToken = cancellationToken.Begin();
        string? kept = any && store.Trash is not null && files.KeepsDeleted
            ? await store.Trash.BeginFolderAsync(folder, bytes, files.Caller, cancellationToken)
            : null;
        await Parallel.ForEachAsync(
            store.Bucket.ListAllAsync(prefix, cancellationToken),
            new ParallelOptions { MaxDegreeOfParallelism = DeletedAtOnce },
            async (found, _) =>
            {
                if (kept is not null)
                {
                    await store.Trash!.KeepAsync(found.Key, (kept, found.Key[prefix.Length..]), cancellationToken);
                }

                await store.Bucket.DeleteAsync(found.Key, cancellationToken);
                store.Quota.Deleted();
                if (store.Keys.TryName(found.Key, out TransferName name))
                {
                    await store.Digests.DeleteAsync(name, cancellationToken);
                }
            });
        return any;
    }

    /// <summary>Gives a file a second name.</summary>
    /// <returns>The description of the copied file.</returns>
    private async ValueTask<GetObjectMetadataResponse> CopyAsync(
        TransferName from, TransferName to, MoveOptions options, bool isMove, CancellationToken cancellationToken)
    {
        using var added = new AddedBytes();
        S3Files.ThrowIfRoot(from);
        S3Files.ThrowIfRoot(to);
        if (to.IsIn(from))
        {
            throw Errors.Invalid($"'{from}' cannot be moved into itself. Choose another name.", from.Value);
        }

        await using NameClaim? source = options.Source.IsNone
            ? null
            : await publisher.ClaimAsync(from, options.Source, cancellationToken);
        GetObjectMetadataResponse head = await store.Bucket.HeadAsync(store.Keys.Of(from), cancellationToken)
            ?? throw (isMove && await files.FolderExistsAsync(from, cancellationToken) ? Refuse(from) : Errors.NoFile(from));
        if (!isMove)
        {
            await upkeep.CheckTotalAsync(to, head.ContentLength, cancellationToken);
            added.Begin(store.Quota, to, head.ContentLength);
        }

        await ThrowIfFolderAsync(to, cancellationToken);
        await publisher.CheckFoldersAsync(to, cancellationToken);
        WritePrecondition condition = new() { CreateNew = !options.Replace };
        await using NameClaim? target = options.Replace ? null : await publisher.ClaimAsync(to, condition, cancellationToken);
        try
        {
            target?.ThrowIfLost();
            store.Absent.Remove(store.Keys.Of(to));
            if (store.Trash is { } trash && options.Replace)
            {
                cancellationToken = cancellationToken.Begin();
                await trash.KeepAsync(to, head: null, isReplaced: true, files.Caller, cancellationToken);
            }

            string version = FileMetadata.VersionOf(head);
            if (FileMetadata.DigestOf(head) is null && await store.Digests.ReadAsync(from, version, cancellationToken) is { } digest)
            {
                await store.Digests.WriteAsync(to, version, digest, cancellationToken);
            }

            await CopyFileAsync(store.Keys.Of(from), to, head, condition, cancellationToken);
            source?.ThrowIfLost();
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            // A retry of a request whose response was lost finds its own file.
            if (await publisher.FindAsync(to, FileMetadata.VersionOf(head), digest: null, CancellationToken.None) is null)
            {
                await publisher.CheckAsync(to, condition, CancellationToken.None);
                throw S3Errors.IsConditionFailed(exception)
                    ? new TransferException(TransferError.Changed, $"'{from}' was replaced while it was being moved.", from.Value)
                    : S3Errors.Translate(exception, from.Value);
            }
        }

        added.Keep();
        return head;
    }

    /// <summary>Gives an entry of the trash a name again. The bucket copies it, and then the entry is deleted.</summary>
    public async ValueTask<TransferName> RestoreAsync(S3Trash trash, string id, TransferName wanted, CancellationToken cancellationToken)
    {
        TrashEntry entry = await trash.FindAsync(id, cancellationToken) ?? throw TrashRules.NotFound(id);
        TransferName name = wanted.IsRoot ? entry.Name : wanted;
        WritePrecondition condition = new() { CreateNew = true };
        await using NameClaim claim = await ClaimFreeAsync(name, condition, cancellationToken);
        await ThrowIfFolderAsync(name, cancellationToken);
        await publisher.CheckFoldersAsync(name, cancellationToken);
        cancellationToken = cancellationToken.Begin();
        bool any = false;
        try
        {
            await foreach ((string key, string rest) in trash.ContentAsync(id, cancellationToken))
            {
                claim.ThrowIfLost();
                if (await store.Bucket.HeadAsync(key, cancellationToken) is not { } head)
                {
                    continue;
                }

                any = true;
                if (rest is "/")
                {
                    await store.Bucket.TryCreateAsync(store.Keys.OfFolder(name), default, cancellationToken);
                    continue;
                }

                if (rest.EndsWith('/'))
                {
                    await store.Bucket.TryCreateAsync(store.Keys.OfFolder(TransferName.Parse(name.Value + rest[..^1])), default, cancellationToken);
                    continue;
                }

                TransferName one = rest.Length == 0 ? name : TransferName.Parse(name.Value + rest);
                store.Absent.Remove(store.Keys.Of(one));
                await CopyFileAsync(key, one, head, condition, cancellationToken);
            }
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.IsConditionFailed(exception) ? NameTaken(name) : S3Errors.Translate(exception, name.Value);
        }

        if (!any)
        {
            throw TrashRules.NotFound(id);
        }

        await trash.DeleteAsync(id, cancellationToken);
        return name;
    }

    private async ValueTask<NameClaim> ClaimFreeAsync(TransferName name, WritePrecondition condition, CancellationToken cancellationToken)
    {
        try
        {
            return await publisher.ClaimAsync(name, condition, cancellationToken);
        }
        catch (TransferException exception) when (exception.Error == TransferError.PreconditionFailed)
        {
            throw NameTaken(name);
        }
    }

    private async ValueTask CopyFileAsync(
        string from, TransferName to, GetObjectMetadataResponse head, WritePrecondition condition, CancellationToken cancellationToken)
    {
        // Only some services look at a condition when they copy; all look at it when they write, and parts become a file at once.
        if (condition.CreateNew && head.ContentLength <= S3FileStoreOptions.MinPartBytes)
        {
            await RewriteAsync(from, to, head, cancellationToken);
            return;
        }

        if (!condition.CreateNew && head.ContentLength <= Multipart.MaxCopyBytes)
        {
            await store.Bucket.Client.CopyObjectAsync(
                new CopyObjectRequest
                {
                    SourceBucket = store.Bucket.Name,
                    SourceKey = from,
                    DestinationBucket = store.Bucket.Name,
                    DestinationKey = store.Keys.Of(to),
                    ETagToMatch = FileMetadata.Unquote(head.ETag),
                },
                cancellationToken.Begin());
            return;
        }

        var multipart = new Multipart(store.Bucket, store.Keys.Of(to), FileMetadata.VersionOf(head), like: head);
        try
        {
            List<string> tags = await ObjectCopy.CopyPartsAsync(store.Bucket, from, head, multipart, cancellationToken);
            await publisher.CheckAsync(to, condition, cancellationToken);
            await multipart.CompleteAsync(tags, condition, cancellationToken.Begin());
        }
        catch
        {
            await multipart.AbortAsync();
            throw;
        }
    }

    /// <summary>Reads a small file and writes it under a new name, if there is nothing yet.</summary>
    private async ValueTask RewriteAsync(
        string from, TransferName to, GetObjectMetadataResponse head, CancellationToken cancellationToken)
    {
        using PartBuffer content = await store.Memory.RentAsync(Math.Max(1, head.ContentLength), cancellationToken);
        await store.FillAsync(content, from, FileMetadata.Unquote(head.ETag), head.ContentLength, cancellationToken);
        PutObjectRequest request = store.Bucket.PutRequest(store.Keys.Of(to), content);
        request.IfNoneMatch = "*";
        FileMetadata.Copy(head, request.Headers, request.Metadata);
        await store.Bucket.Client.PutObjectAsync(request, cancellationToken.Begin());
    }

    private async ValueTask ThrowIfFolderAsync(TransferName name, CancellationToken cancellationToken)
    {
        if (await files.FolderExistsAsync(name, cancellationToken))
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

    /// <summary>The bytes of a copy, which count from its beginning, and no more if it fails.</summary>
    private sealed class AddedBytes : IDisposable
    {
        private Quota? _quota;
        private TransferName _name;
        private long _bytes;
        private bool _isKept;

        public void Begin(Quota quota, TransferName name, long bytes)
        {
            quota.Add(name, bytes);
            quota.Receive(bytes);
            (_quota, _name, _bytes) = (quota, name, bytes);
        }

        public void Keep() => _isKept = true;

        public void Dispose()
        {
            _quota?.Receive(-_bytes);
            if (!_isKept)
            {
                _quota?.Add(_name, -_bytes);
            }
        }
    }
}
