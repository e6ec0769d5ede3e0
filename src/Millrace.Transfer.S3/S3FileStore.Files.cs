namespace Millrace.Transfer.S3;

public sealed partial class S3FileStore
{
    /// <inheritdoc/>
    /// <remarks>One request; a second one for the digest of a file of several parts that this process has not seen yet.</remarks>
    public async ValueTask<StoredFile?> FindAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        if (name.IsRoot || await _bucket.HeadAsync(_keys.Of(name), cancellationToken) is not { } head)
        {
            return null;
        }

        return FileMetadata.ToFile(name, head, await _digests.FindAsync(name, head, digest, cancellationToken));
    }

    /// <inheritdoc/>
    public async ValueTask<StoredFileReader> OpenReadAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        StoredFile file = await FindAsync(name, digest, cancellationToken) ?? throw S3Errors.NoFile(name);
        return new S3FileReader(_bucket, _keys.Of(name), file, Options);
    }

    /// <inheritdoc/>
    public async ValueTask<StoredFileWriter> CreateAsync(
        TransferName name, CreateFileOptions options, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfRoot(name);
        if (options.Length is { } length)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(length, nameof(options));
            CheckLength(name, length);
        }

        await CheckTotalAsync(name, options.Length ?? 0, cancellationToken);
        await _publisher.CheckFoldersAsync(name, cancellationToken);
        await _publisher.CheckAsync(name, options.Precondition, cancellationToken);
        var multipart = new Multipart(_bucket, _keys.Of(name), FileMetadata.NewVersion());
        var body = new PartWriter(
            _memory, PartPlan.For(options.Length, Options), multipart, name, PartProgress.None, options.Length, Limit, _quota);
        return new S3FileWriter(_publisher, name, options.Precondition, multipart, body, _quota);
    }

    /// <inheritdoc/>
    /// <remarks>A folder is deleted if it is empty, that is, if there is nothing but its own object.</remarks>
    public async ValueTask<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        ThrowIfRoot(name);
        await using NameClaim? claim = precondition.IsNone
            ? null
            : await _publisher.ClaimAsync(name, precondition, cancellationToken);
        if (await _bucket.HeadAsync(_keys.Of(name), cancellationToken) is not { } head)
        {
            return await DeleteMarkerAsync(name, cancellationToken);
        }

        claim?.ThrowIfLost();
        await _bucket.DeleteAsync(_keys.Of(name), cancellationToken);
        _quota.Deleted();
        if (FileMetadata.DigestOf(head) is null)
        {
            await _digests.DeleteAsync(name, cancellationToken);
        }

        return true;
    }

    /// <inheritdoc/>
    /// <remarks>A folder exists while there is something in it, or an object with its name and a slash.</remarks>
    public async ValueTask<bool> FolderExistsAsync(TransferName folder, CancellationToken cancellationToken)
    {
        if (!_keys.TryOfFolder(folder, out string prefix))
        {
            return false;
        }

        ListObjectsV2Response found = await _bucket.ListAsync(
            new ListObjectsV2Request { Prefix = prefix, MaxKeys = 1 }, cancellationToken);
        return folder.IsRoot || found.S3Objects.Count > 0;
    }

    /// <inheritdoc/>
    /// <remarks>
    /// One request a page, and one more for a folder that could belong to the page although the bucket lists it later: it sorts
    /// <c>a-b</c> before <c>a/</c>. Names with characters beyond U+FFFF are sorted within a page only.
    /// </remarks>
    public ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken) =>
        new S3Lister(this, _bucket, _keys, _digests, _absent, options).ListAsync(cancellationToken);

    private async ValueTask<bool> DeleteMarkerAsync(TransferName folder, CancellationToken cancellationToken)
    {
        string key = _keys.OfFolder(folder);
        ListObjectsV2Response found = await _bucket.ListAsync(
            new ListObjectsV2Request { Prefix = key, MaxKeys = 2 }, cancellationToken);
        switch (found.S3Objects)
        {
            case []:
                return false;
            case [var only] when string.Equals(only.Key, key, StringComparison.Ordinal):
                await _bucket.DeleteAsync(key, cancellationToken);
                return true;
            default:
                throw S3Errors.NotEmpty(folder);
        }
    }

    private void CheckLength(TransferName name, long length)
    {
        if (length > Limit)
        {
            throw S3Errors.TooLarge(name, Limit);
        }
    }

    private static void ThrowIfRoot(TransferName name)
    {
        if (name.IsRoot)
        {
            throw S3Errors.IsFolder(name);
        }
    }
}
