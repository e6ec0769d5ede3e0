namespace Millrace.Transfer.S3;

/// <summary>Copies an object within the bucket.</summary>
internal static class ObjectCopy
{
    /// <summary>Bytes of a part where a file is copied in several.</summary>
    private const long PartBytes = 1L << 30;

    /// <summary>Copies one version, over whatever has the new key.</summary>
    /// <returns>False if another version, or nothing, has the old key.</returns>
    public static async ValueTask<bool> TryCopyAsync(
        Bucket bucket, string from, string to, GetObjectMetadataResponse head, CancellationToken cancellationToken)
    {
        try
        {
            if (head.ContentLength <= Multipart.MaxCopyBytes)
            {
                await bucket.Client.CopyObjectAsync(
                    new CopyObjectRequest
                    {
                        SourceBucket = bucket.Name,
                        SourceKey = from,
                        DestinationBucket = bucket.Name,
                        DestinationKey = to,
                        ETagToMatch = FileMetadata.Unquote(head.ETag),
                    },
                    cancellationToken.Begin());
                return true;
            }

            var multipart = new Multipart(bucket, to, FileMetadata.VersionOf(head), like: head);
            try
            {
                List<string> tags = await CopyPartsAsync(bucket, from, head, multipart, cancellationToken);
                await multipart.CompleteAsync(tags, default, cancellationToken.Begin());
                return true;
            }
            catch
            {
                await multipart.AbortAsync();
                throw;
            }
        }
        catch (Exception exception) when (S3Errors.IsConditionFailed(exception) || S3Errors.IsNotFound(exception))
        {
            return false;
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
    }

    /// <summary>Copies a version as the parts of a multipart upload.</summary>
    /// <returns>The tags of the parts.</returns>
    public static async ValueTask<List<string>> CopyPartsAsync(
        Bucket bucket, string from, GetObjectMetadataResponse head, Multipart multipart, CancellationToken cancellationToken)
    {
        string uploadId = await multipart.CreateAsync(cancellationToken);
        var tags = new List<string>();
        for (long at = 0; at < head.ContentLength; at += PartBytes)
        {
            CopyPartResponse part = await bucket.Client.CopyPartAsync(
                new CopyPartRequest
                {
                    SourceBucket = bucket.Name,
                    SourceKey = from,
                    DestinationBucket = bucket.Name,
                    DestinationKey = multipart.Key,
                    UploadId = uploadId,
                    PartNumber = tags.Count + 1,
                    FirstByte = at,
                    LastByte = Math.Min(at + PartBytes, head.ContentLength) - 1,
                    ETagToMatch = [FileMetadata.Unquote(head.ETag)],
                },
                cancellationToken);
            tags.Add(FileMetadata.Unquote(part.ETag));
        }

        return tags;
    }
}
