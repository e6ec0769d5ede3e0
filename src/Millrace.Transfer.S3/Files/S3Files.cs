namespace Millrace.Transfer.S3;

/// <summary>Finds, reads, lists and deletes files. Thread-safe.</summary>
internal sealed class S3Files(S3Store store, Publisher publisher)
{
    /// <summary>On whose behalf files are deleted; null for an anonymous caller.</summary>
    public string? Caller { get; init; }

    /// <summary>Whether deleted files and folders go to the trash, if there is one.</summary>
    public bool KeepsDeleted { get; init; } = true;

    public async ValueTask<StoredFile?> FindAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        if (name.IsRoot || await store.Bucket.HeadAsync(store.Keys.Of(name), cancellationToken) is not { } head)
        {
            return null;
        }

        return FileMetadata.ToFile(name, head, await store.Digests.FindAsync(name, head, digest, cancellationToken));
    }

    public async ValueTask<StoredFileReader> OpenReadAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        StoredFile file = await FindAsync(name, digest, cancellationToken) ?? throw Errors.NoFile(name);
        return new S3FileReader(store.Bucket, store.Keys.Of(name), file, store.Options);
    }

    public async ValueTask<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        ThrowIfRoot(name);
        await using NameClaim? claim = precondition.IsNone
            ? null
            : await publisher.ClaimAsync(name, precondition, cancellationToken);
        if (await store.Bucket.HeadAsync(store.Keys.Of(name), cancellationToken) is not { } head)
        {
            return await DeleteMarkerAsync(name, cancellationToken);
        }

        claim?.ThrowIfLost();
        cancellationToken = cancellationToken.Begin();
        if (store.Trash is not null && KeepsDeleted)
        {
            await store.Trash.KeepAsync(name, head, isReplaced: false, Caller, cancellationToken);
        }

        await store.Bucket.DeleteAsync(store.Keys.Of(name), cancellationToken);
        store.Quota.Deleted();
        if (FileMetadata.DigestOf(head) is null)
        {
            await store.Digests.DeleteAsync(name, cancellationToken);
        }

        return true;
    }

    public async ValueTask<bool> FolderExistsAsync(TransferName folder, CancellationToken cancellationToken)
    {
        if (!store.Keys.TryOfFolder(folder, out string prefix))
        {
            return false;
        }

        ListObjectsV2Response found = await store.Bucket.ListAsync(
            new ListObjectsV2Request { Prefix = prefix, MaxKeys = 1 }, cancellationToken);
        return folder.IsRoot || found.S3Objects.Count > 0;
    }

    public ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken) =>
        new S3Lister(this, store.Bucket, store.Keys, store.Digests, store.Absent, options).ListAsync(cancellationToken);

    public IAsyncEnumerable<WalkedPage> WalkAsync(TransferName folder, CancellationToken cancellationToken) =>
        new KeyWalk(store.Bucket, store.Keys, folder).ReadAsync(cancellationToken);

    private async ValueTask<bool> DeleteMarkerAsync(TransferName folder, CancellationToken cancellationToken)
    {
        string key = store.Keys.OfFolder(folder);
        ListObjectsV2Response found = await store.Bucket.ListAsync(
            new ListObjectsV2Request { Prefix = key, MaxKeys = 2 }, cancellationToken);
        switch (found.S3Objects)
        {
            case []:
                return false;
            case [var only] when string.Equals(only.Key, key, StringComparison.Ordinal):
                await store.Bucket.DeleteAsync(key, cancellationToken.Begin());
                return true;
            default:
                throw Errors.NotEmpty(folder);
        }
    }

    public static void ThrowIfRoot(TransferName name)
    {
        if (name.IsRoot)
        {
            throw Errors.IsFolder(name);
        }
    }
}
