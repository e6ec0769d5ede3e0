namespace Millrace.Transfer.S3;

public sealed partial class S3FileStore
{
    /// <summary>The largest object that one request copies.</summary>
    private const long MaxCopyBytes = 5L << 30;

    /// <inheritdoc/>
    /// <remarks>
    /// The bucket copies the parts itself, if all but the last have 5 MiB at least and <see cref="S3FileStoreOptions.PartBytes"/> is not
    /// set; they are read once for the digest. Smaller ones are written again. They stay until they are deleted or expire.
    /// </remarks>
    public async ValueTask<UploadStatus> JoinUploadsAsync(
        StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(parts);
        var holders = new List<TakeoverLock.Holder>();
        try
        {
            var sources = new List<JoinSource>();
            foreach (UploadId part in parts)
            {
                S3Upload upload = FindUpload(part);
                if (!sources.Exists(source => source.Upload == upload))
                {
                    // Held, so that nobody deletes it meanwhile.
                    holders.Add(await upload.AcquireAsync(evenExpired: false, cancellationToken));
                }

                sources.Add(await ToSourceAsync(upload, cancellationToken));
            }

            UploadRecord record = UploadRecord.Of(options) with
            {
                Length = sources.Sum(static source => source.Length),
                Joined = [.. parts.Select(static part => part.Value)],
            };
            S3Upload whole = await StartAsync(options, record, cancellationToken);
            using TakeoverLock.Holder holder = await whole.AcquireAsync(evenExpired: false, cancellationToken);
            try
            {
                await JoinAsync(whole, sources, cancellationToken);
            }
            catch
            {
                await RemoveAsync(whole, CancellationToken.None);
                throw;
            }

            foreach (UploadId part in parts)
            {
                _uploads.Finish(part);
            }

            return whole.ToStatus();
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception, options.Name.Value);
        }
        finally
        {
            holders.ForEach(static holder => holder.Dispose());
        }
    }

    /// <summary>Makes one object of a finished part.</summary>
    private async ValueTask<JoinSource> ToSourceAsync(S3Upload upload, CancellationToken cancellationToken)
    {
        UploadRecord record = upload.Record;
        if (record.Name.Length > 0 || record.Length != record.Offset)
        {
            throw S3Errors.Invalid($"The upload '{upload.Id}' is not a finished part. Finish it, then join it.");
        }

        if (record.End == 0)
        {
            return new JoinSource(upload, record.TailKey, record.TailBytes);
        }

        string key = upload.DataKey;
        (Multipart multipart, PartWriter body) = await ContinueAsync(upload, record.Offset, cancellationToken);
        await using (body)
        {
            await body.SettleAsync(isLast: true, cancellationToken);
            if (await _bucket.HeadAsync(key, cancellationToken) is null)
            {
                await multipart.CompleteAsync(body.Progress.Tags, default, cancellationToken);
            }
        }

        return new JoinSource(upload, key, record.Length!.Value);
    }

    private async ValueTask JoinAsync(S3Upload whole, List<JoinSource> sources, CancellationToken cancellationToken)
    {
        sources.RemoveAll(static source => source.Length == 0);
        long limit = whole.Record.Length!.Value;
        bool copies = Options.PartBytes is null && sources.Count is > 0 and <= PartPlan.MaxParts
            && sources.TrueForAll(static source => source.Length <= MaxCopyBytes)
            && sources.SkipLast(1).All(static source => source.Length >= S3FileStoreOptions.MinPartBytes)
            && limit >= S3FileStoreOptions.MinPartBytes;
        (Multipart multipart, PartWriter body) = await ContinueAsync(whole, limit, cancellationToken);
        await using (body)
        {
            if (copies)
            {
                body.AddCopied(limit);
                try
                {
                    await CopyAsync(whole, multipart, sources, cancellationToken);
                }
                catch
                {
                    _quota.Add(whole.Name, -limit);
                    throw;
                }

                return;
            }

            foreach (JoinSource source in sources)
            {
                await using RangeStream content = await OpenAsync(source, cancellationToken);
                await content.CopyToAsync(body, cancellationToken);
            }

            await body.SettleAsync(isLast: true, cancellationToken);
            await SaveWholeAsync(whole, multipart, body, cancellationToken);
        }
    }

    /// <summary>Has the bucket copy the sources, and reads them for the digest meanwhile.</summary>
    private async ValueTask CopyAsync(
        S3Upload whole, Multipart multipart, List<JoinSource> sources, CancellationToken cancellationToken)
    {
        string uploadId = await multipart.CreateAsync(cancellationToken);
        Task<Sha256Digest> hashing = HashAsync(sources, cancellationToken);
        try
        {
            var tags = new List<string>();
            foreach (JoinSource source in sources)
            {
                CopyPartResponse response = await _bucket.Client.CopyPartAsync(
                    new CopyPartRequest
                    {
                        SourceBucket = _bucket.Name,
                        SourceKey = source.Key,
                        DestinationBucket = _bucket.Name,
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
        catch
        {
            await ((Task)hashing).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await multipart.AbortAsync(CancellationToken.None);
            throw;
        }
    }

    private async Task<Sha256Digest> HashAsync(List<JoinSource> sources, CancellationToken cancellationToken)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        byte[] buffer = new byte[128 * 1024];
        foreach (JoinSource source in sources)
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

    private async ValueTask<RangeStream> OpenAsync(JoinSource source, CancellationToken cancellationToken)
    {
        GetObjectMetadataResponse head = await _bucket.HeadAsync(source.Key!, cancellationToken)
            ?? throw S3Errors.NoUpload(source.Upload.Id);
        return new RangeStream(
            _bucket, source.Key!, FileMetadata.ToFile(default, head, digest: null), new ByteRange(0, source.Length));
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
            await _bucket.PutPartAsync(record.TailKey, tail, cancellationToken);
        }

        await whole.SaveAsync(record, cancellationToken);
    }

    /// <param name="Upload">A finished part.</param>
    /// <param name="Key">The object with its bytes; null if there are none.</param>
    /// <param name="Length">How many.</param>
    private sealed record JoinSource(S3Upload Upload, string? Key, long Length);
}
