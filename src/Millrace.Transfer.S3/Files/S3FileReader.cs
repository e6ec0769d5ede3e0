using Amazon.Runtime;

namespace Millrace.Transfer.S3;

/// <summary>One version of a file of an <see cref="S3FileStore"/>, by its tag.</summary>
internal sealed class S3FileReader(Bucket bucket, string key, StoredFile file, S3FileStoreOptions options) : StoredFileReader
{
    public override StoredFile File => file;

    public string Key => key;

    public override PipeReader Read(ByteRange range) => Read(range, int.MaxValue);

    public override PipeReader Read(ByteRange range, int readBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(readBytes);
        ArgumentOutOfRangeException.ThrowIfNegative(range.Offset, nameof(range));
        ArgumentOutOfRangeException.ThrowIfNegative(range.Length, nameof(range));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(range.Offset, file.Length, nameof(range));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(range.Length, file.Length - range.Offset, nameof(range));
        return new RangePipeReader(new RangeStream(bucket, key, file, range), readBytes);
    }

    /// <remarks>The signature is computed here; the bucket is not asked.</remarks>
    public override async ValueTask<Uri?> FindAddressAsync(string mediaType, string disposition)
    {
        if (!options.Redirects)
        {
            return null;
        }

        // The lifetime counts from the time of the SDK's clock, which the bucket's answers correct.
        string endpoint = bucket.Client.DetermineServiceOperationEndpoint(new GetObjectRequest { BucketName = bucket.Name }).URL;
        var request = new GetPreSignedUrlRequest
        {
            BucketName = bucket.Name,
            Key = key,
            Verb = HttpVerb.GET,
            Protocol = bucket.IsEncrypted ? Protocol.HTTPS : Protocol.HTTP,
            Expires = CorrectClockSkew.GetCorrectedUtcNowForEndpoint(endpoint, bucket.Client.Config) + options.RedirectLifetime,
        };
        request.ResponseHeaderOverrides.ContentType = mediaType;
        request.ResponseHeaderOverrides.ContentDisposition = disposition;
        request.ResponseHeaderOverrides.CacheControl = "no-store";
        return new Uri(await bucket.Client.GetPreSignedURLAsync(request));
    }

    public override ValueTask DisposeAsync() => default;
}
