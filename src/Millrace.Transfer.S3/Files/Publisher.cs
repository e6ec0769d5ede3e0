namespace Millrace.Transfer.S3;

/// <summary>Gives received bytes their name. Thread-safe.</summary>
internal sealed class Publisher(S3Store store, S3Upkeep upkeep)
{
    /// <summary>On whose behalf files are replaced; null for an anonymous caller.</summary>
    public string? Caller { get; init; }

    /// <summary>Starts a file, of which nothing is visible before it is published.</summary>
    public async ValueTask<StoredFileWriter> CreateAsync(
        TransferName name, CreateFileOptions options, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        S3Files.ThrowIfRoot(name);
        if (options.Length is { } length)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(length, nameof(options));
            store.CheckLength(name, length);
        }

        await upkeep.CheckTotalAsync(name, options.Length ?? 0, cancellationToken);
        await CheckFoldersAsync(name, cancellationToken);
        if (!options.IsPreconditionChecked)
        {
            await CheckAsync(name, options.Precondition, cancellationToken);
        }

        var multipart = new Multipart(store.Bucket, store.Keys.Of(name), FileMetadata.NewVersion(), options.Modified, isExecutable: options.IsExecutable == true);
        var body = new PartWriter(
            store.Memory, PartPlan.For(options.Length, store.Options), multipart, name, PartProgress.None, options.Length, store.MaxBytes, store.Quota)
        {
            DiscardsOnRefusal = true,
        };
        return new S3FileWriter(this, name, options.Precondition, multipart, body);
    }

    /// <summary>Publishes a file that is smaller than a part, by one request.</summary>
    /// <param name="name">The name.</param>
    /// <param name="condition">The precondition.</param>
    /// <param name="content">All bytes; null for none.</param>
    /// <param name="unused">The multipart upload that it would have become: it has the version and the time.</param>
    /// <param name="digest">Its digest.</param>
    /// <param name="cancellationToken">Until it begins to be published.</param>
    public async ValueTask<StoredFile> PutAsync(
        TransferName name, WritePrecondition condition, PartBuffer? content, Multipart unused, Sha256Digest digest,
        CancellationToken cancellationToken)
    {
        // Every service supports "only if new"; only some support the other conditions.
        await using NameClaim? claim = condition.IsNone || condition == new WritePrecondition { CreateNew = true }
            ? null
            : await ClaimAsync(name, condition, cancellationToken);
        PutObjectRequest request = store.Bucket.PutRequest(store.Keys.Of(name), content);
        request.IfNoneMatch = condition.CreateNew ? "*" : null;
        request.IfMatch = condition.Match is [var only] ? only.Value : null;
        request.Metadata[FileMetadata.Sha256] = digest.ToString();
        unused.Describe(request.Metadata);
        cancellationToken = cancellationToken.Begin();
        try
        {
            await KeepReplacedAsync(name, condition, cancellationToken);
            claim?.ThrowIfLost();
            store.Absent.Remove(request.Key);
            PutObjectResponse response = await store.Bucket.Client.PutObjectAsync(request, cancellationToken);
            return new StoredFile(
                name, content?.Length ?? 0, unused.Modified ?? FileMetadata.Seconds(store.Clock.Now), new EntityTag(FileMetadata.Unquote(response.ETag)), digest)
            {
                IsExecutable = unused.IsExecutable,
            };
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            // A retry of a request whose response was lost finds its own file.
            if (S3Errors.IsConditionFailed(exception))
            {
                return await FindAsync(name, unused.Version, digest, cancellationToken)
                    ?? throw await RefusalAsync(name, condition, exception, cancellationToken);
            }

            throw S3Errors.Translate(exception, name.Value);
        }
    }

    /// <summary>Publishes the parts of a multipart upload. Its digest is stored first.</summary>
    public async ValueTask<StoredFile> CompleteAsync(
        TransferName name, WritePrecondition condition, Multipart multipart, IReadOnlyList<string> tags, Sha256Digest? digest,
        CancellationToken cancellationToken)
    {
        await using NameClaim? claim = condition.IsNone ? null : await ClaimAsync(name, condition, cancellationToken);
        if (digest is { } known)
        {
            await store.Digests.WriteAsync(name, multipart.Version, known, cancellationToken);
        }

        cancellationToken = cancellationToken.Begin();
        Exception? failure = null;
        try
        {
            await KeepReplacedAsync(name, condition, cancellationToken);
            claim?.ThrowIfLost();
            store.Absent.Remove(multipart.Key);
            await multipart.CompleteAsync(tags, condition, cancellationToken);
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            failure = exception;
        }

        // Not every service returns the version that it made. A lost response is not a failure.
        StoredFile? file = await FindAsync(name, multipart.Version, digest, cancellationToken);
        if (file is null && failure is not null)
        {
            throw S3Errors.IsConditionFailed(failure)
                ? await RefusalAsync(name, condition, failure, cancellationToken)
                : S3Errors.IsLostPart(failure) ? failure : S3Errors.Translate(failure, name.Value);
        }

        return file ?? throw new TransferException(
            TransferError.Changed, $"'{name}' was published, and somebody replaced or deleted it at once.", name.Value);
    }

    /// <summary>Finds one version of a file, by its own name.</summary>
    /// <returns>Null if another one, or nothing, is there.</returns>
    public async ValueTask<StoredFile?> FindAsync(
        TransferName name, string version, Sha256Digest? digest, CancellationToken cancellationToken) =>
        await store.Bucket.HeadAsync(store.Keys.Of(name), cancellationToken) is { } head
        && string.Equals(head.Metadata[FileMetadata.Version], version, StringComparison.Ordinal)
            ? FileMetadata.ToFile(name, head, digest)
            : null;

    /// <summary>Takes the claim of a name and checks a condition under it.</summary>
    public async ValueTask<NameClaim> ClaimAsync(TransferName name, WritePrecondition condition, CancellationToken cancellationToken)
    {
        NameClaim claim = await NameClaim.TakeAsync(store.Bucket, store.Keys.OfClaims(name), cancellationToken);
        try
        {
            await CheckAsync(name, condition, cancellationToken);
            return claim;
        }
        catch
        {
            await claim.DisposeAsync();
            throw;
        }
    }

    /// <summary>Throws when a condition is not met.</summary>
    public async ValueTask CheckAsync(TransferName name, WritePrecondition condition, CancellationToken cancellationToken)
    {
        if (!condition.IsNone)
        {
            GetObjectMetadataResponse? head = await store.Bucket.HeadAsync(store.Keys.Of(name), cancellationToken);
            condition.ThrowIfNotMet(name, head is null ? null : FileMetadata.ToFile(name, head, digest: null));
        }
    }

    /// <summary>Throws when a name is in a folder that is a file.</summary>
    public async ValueTask CheckFoldersAsync(TransferName name, CancellationToken cancellationToken)
    {
        for (TransferName folder = name.Folder; !folder.IsRoot; folder = folder.Folder)
        {
            string key = store.Keys.Of(folder);
            if (store.Absent.Contains(key))
            {
                continue;
            }

            if (await store.Bucket.HeadAsync(key, cancellationToken) is not null)
            {
                throw S3Errors.NoFolderPossible(name);
            }

            store.Absent.Add(key);
        }
    }

    private ValueTask KeepReplacedAsync(TransferName name, WritePrecondition condition, CancellationToken cancellationToken) =>
        store.Trash is { } trash && !condition.CreateNew
            ? trash.KeepAsync(name, head: null, isReplaced: true, Caller, cancellationToken)
            : default;

    private async ValueTask<Exception> RefusalAsync(
        TransferName name, WritePrecondition condition, Exception exception, CancellationToken cancellationToken)
    {
        await CheckAsync(name, condition, cancellationToken);
        return S3Errors.Translate(exception, name.Value);
    }
}
