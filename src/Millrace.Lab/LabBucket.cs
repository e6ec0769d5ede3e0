using Millrace.Transfer.S3;

namespace Millrace.Lab;

/// <summary>The bucket of a user's own that the suite "stores" uses. Credentials are not in it: they come from the environment.</summary>
/// <param name="Prefix">Below which everything is kept; empty for the whole bucket.</param>
/// <param name="Endpoint">The S3 service; null for AWS.</param>
/// <param name="Region">Null for the environment's own, or for that of the service.</param>
internal sealed record LabBucket(string Bucket, string Prefix, Uri? Endpoint, string? Region, bool PathStyle)
{
    // Within it nothing else is kept, so that all of it can be deleted.
    private const string OwnFolder = "millrace-stores";

    /// <summary>Where the laboratory keeps its objects.</summary>
    public string OwnPrefix => Prefix.Length == 0 ? OwnFolder : $"{Prefix}/{OwnFolder}";

    public static LabBucket Of(S3FileStoreOptions options) =>
        new(options.Bucket, options.Prefix, options.Endpoint, options.Region, options.PathStyle);

    public S3FileStoreOptions ToStoreOptions() => new()
    {
        Bucket = Bucket,
        Prefix = OwnPrefix,
        Endpoint = Endpoint,
        Region = Region,
        PathStyle = PathStyle,
    };
}
