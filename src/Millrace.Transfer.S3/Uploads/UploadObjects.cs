using System.Globalization;
using System.Text.Json;

namespace Millrace.Transfer.S3;

/// <summary>
/// The objects of one upload, as they were listed. <c>start</c> exists from its start to its end. Each server that takes it over
/// creates the next <c>g/NUMBER</c>, and keeps the upload's state there: only the highest one counts.
/// </summary>
internal sealed class UploadObjects
{
    public UploadObjects(string prefix, IReadOnlyList<S3Object> all)
    {
        Prefix = prefix;
        All = all;
        string generations = prefix + "g/";
        foreach (S3Object found in all)
        {
            DateTimeOffset modified = FileMetadata.Time(found.LastModified);
            Touched = modified > Touched ? modified : Touched;
            if (string.Equals(found.Key, StartOf(prefix), StringComparison.Ordinal))
            {
                Started = modified;
            }
            else if (string.Equals(found.Key, DataOf(prefix), StringComparison.Ordinal))
            {
                HasData = true;
            }
            else if (found.Key.StartsWith(generations, StringComparison.Ordinal)
                && long.TryParse(found.Key.AsSpan(generations.Length), NumberStyles.None, CultureInfo.InvariantCulture, out long number))
            {
                Generations.Add(number);
            }
        }
    }

    /// <summary>The beginning of its keys, up to the slash after the upload's id.</summary>
    public string Prefix { get; }

    public string Id => Path.GetFileName(Prefix.TrimEnd('/'));

    public IReadOnlyList<S3Object> All { get; }

    /// <summary>When it was started; null if it was not, or has ended.</summary>
    public DateTimeOffset? Started { get; }

    /// <summary>Whether its parts are an object already, which is listed.</summary>
    public bool HasData { get; }

    /// <summary>When one of its objects was written last.</summary>
    public DateTimeOffset Touched { get; }

    /// <summary>Rising.</summary>
    public List<long> Generations { get; } = [];

    public long Highest => Generations.Count == 0 ? 0 : Generations[^1];

    public static string StartOf(string prefix) => prefix + "start";

    public static string DataOf(string prefix) => prefix + "data";

    public static string GenerationOf(string prefix, long number) => $"{prefix}g/{number:D10}";

    public static async ValueTask<UploadObjects> ListAsync(Bucket bucket, string prefix, CancellationToken cancellationToken)
    {
        var all = new List<S3Object>();
        await foreach (S3Object found in bucket.ListAllAsync(prefix, cancellationToken))
        {
            all.Add(found);
        }

        return new UploadObjects(prefix, all);
    }

    /// <summary>Reads the latest state. A generation without one has not changed the upload yet.</summary>
    public async ValueTask<UploadRecord?> ReadAsync(Bucket bucket, CancellationToken cancellationToken)
    {
        for (int i = Generations.Count - 1; i >= 0; i--)
        {
            byte[]? content = await bucket.ReadAsync(GenerationOf(Prefix, Generations[i]), cancellationToken);
            if (content is { Length: > 0 })
            {
                return JsonSerializer.Deserialize(content, S3Json.Default.UploadRecord);
            }
        }

        return null;
    }

    /// <summary>When it is deleted.</summary>
    public DateTimeOffset Expires(bool hasBytes, S3FileStoreOptions options) =>
        UploadRules.Expires(hasBytes, Started ?? Touched, Touched, options.UploadLifetime, options.EmptyUploadLifetime);
}
