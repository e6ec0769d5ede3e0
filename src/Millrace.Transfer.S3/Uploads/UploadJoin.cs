namespace Millrace.Transfer.S3;

/// <summary>Makes one upload of several.</summary>
/// <remarks>
/// The bucket copies the parts itself, if all but the last have 5 MiB at least and <see cref="S3FileStoreOptions.PartBytes"/> is not
/// set; they are read once for the digest. Smaller ones are written again. They stay until they are deleted or expire.
/// </remarks>
internal sealed class UploadJoin(S3Store store)
{
    /// <summary>Makes one object of a finished part.</summary>
    public async ValueTask<Source> ToSourceAsync(S3Upload upload, CancellationToken cancellationToken)
    {
        UploadRecord record = upload.Record;
        UploadRules.ThrowIfNotJoinable(upload.ToStatus());
        if (record.End == 0)
        {
            return new Source(upload, record.TailKey, record.TailBytes);
        }

        string key = upload.DataKey;
        (Multipart multipart, PartWriter body) = await upload.OpenAsync(record.Offset, cancellationToken);
        await using (body)
        {
            await body.SettleAsync(isLast: true, cancellationToken);
            if (await store.Bucket.HeadAsync(key, cancellationToken) is null)
            {
                await multipart.CompleteAsync(body.Progress.Tags, default, cancellationToken.Begin());
            }
        }

        return new Source(upload, key, record.Length!.Value);
    }

    public async ValueTask JoinAsync(S3Upload whole, List<Source> sources, CancellationToken cancellationToken)
    {
        sources.RemoveAll(static source => source.Length == 0);
        long limit = whole.Record.Length!.Value;
        bool copies = store.Options.PartBytes is null && sources.Count is > 0 and <= PartPlan.MaxParts
            && sources.TrueForAll(static source => source.Length <= Multipart.MaxCopyBytes)
            && sources.SkipLast(1).All(static source => source.Length >= S3FileStoreOptions.MinPartBytes)
            && limit >= S3FileStoreOptions.MinPartBytes;
        (Multipart multipart, PartWriter body) = await whole.OpenAsync(limit, cancellationToken);
        try
        {
            await using (body)
            {
                if (copies)
                {
                    body.AddCopied(limit);
                    await CopyAsync(whole, multipart, sources, cancellationToken);
                    return;
                }

                foreach (Source source in sources)
                {
                    await using RangeStream content = await OpenAsync(source, cancellationToken);
                    await content.CopyToAsync(body, cancellationToken);
                }

                await body.SettleAsync(isLast: true, cancellationToken);
                await SaveWholeAsync(whole, multipart, body, cancellationToken);
            }
        }
        catch
        {
            body.ReleaseCharge();
            await multipart.AbortAsync();
            throw;
        }
    }

    /// <summary>Has the bucket copy the sources, and reads them for the digest meanwhile.</summary>
    private async ValueTask CopyAsync(
        S3Upload whole, Multipart multipart, List<Source> sources, CancellationToken cancellationToken)
    {
        string uploadId = await multipart.CreateAsync(cancellationToken);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task<Sha256Digest> hashing = HashAsync(sources, end.Token);
        try
        {
            var tags = new List<string>();
            foreach (Source source in sources)
            {
                CopyPartResponse response = await store.Bucket.Client.CopyPartAsync(
                    new CopyPartRequest
                    {
                        SourceBucket = store.Bucket.Name,
                        SourceKey = source.Key,
                        DestinationBucket = store.Bucket.Name,
                        DestinationKey = multipart.Key,
                        UploadId = uploadId,
                        PartNumber = tags.Count + 1,
                    },
                    cancellationToken);
                tags.Add(FileMetadata.Unquote(response.ETag));
            }

            Sha256Digest digest = await hashing;
            await whole.SaveAsync(
                whole.Record with
                {
                    MultipartId = uploadId,
                    Tags = tags,
                    End = whole.Record.Length!.Value,
                    Sha256 = digest.ToString(),
                },
                cancellationToken);
        }
        finally
        {
            await end.CancelAsync();
            await ((Task)hashing).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task<Sha256Digest> HashAsync(List<Source> sources, CancellationToken cancellationToken)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        byte[] buffer = new byte[128 * 1024];
        foreach (Source source in sources)
        {
            await using RangeStream content = await OpenAsync(source, cancellationToken);
            int count;
            while ((count = await content.ReadAsync(buffer, cancellationToken)) > 0)
            {
                hash.AppendData(buffer, 0, count);
            }
        }

        return new Sha256Digest(hash.GetHashAndReset());
    }

    private async ValueTask<RangeStream> OpenAsync(Source source, CancellationToken cancellationToken)
    {
        GetObjectMetadataResponse head = await store.Bucket.HeadAsync(source.Key!, cancellationToken)
            ?? throw Errors.NoUpload(source.Upload.Id);
        return new RangeStream(
            store.Bucket, source.Key!, FileMetadata.ToFile(default, head, digest: null), new ByteRange(0, source.Length));
    }

    private async ValueTask SaveWholeAsync(
        S3Upload whole, Multipart multipart, PartWriter body, CancellationToken cancellationToken)
    {
        UploadRecord record = whole.Record with
        {
            MultipartId = multipart.UploadId,
            Tags = body.Progress.Tags,
            End = body.Progress.End,
            Sha256 = body.ToDigest().ToString(),
        };
        if (body.Tail is { Length: > 0 } tail)
        {
            record = record with { TailKey = whole.TailKeyAt(record.End), TailBytes = tail.Length };
            await store.Bucket.PutPartAsync(record.TailKey, tail, cancellationToken);
        }

        await whole.SaveAsync(record, cancellationToken);
    }

    /// <param name="Upload">A finished part.</param>
    /// <param name="Key">The object with its bytes; null if there are none.</param>
    /// <param name="Length">How many.</param>
    internal sealed record Source(S3Upload Upload, string? Key, long Length);
}
