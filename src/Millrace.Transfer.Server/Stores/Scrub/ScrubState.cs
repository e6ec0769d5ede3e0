using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>The kept state of a scrub, from which the next process, or another server of a bucket, continues.</summary>
internal sealed class ScrubState
{
    /// <summary>Its key among the documents of a store.</summary>
    public const string Key = "scrub";

    public DateTimeOffset? Started { get; set; }

    public DateTimeOffset? Completed { get; set; }

    /// <summary>The last name that was read; null at the beginning.</summary>
    public string? After { get; set; }

    public long Files { get; set; }

    public long Bytes { get; set; }

    public long TotalFiles { get; set; }

    public long TotalBytes { get; set; }

    public long Skipped { get; set; }

    public List<DamagedFile> Damaged { get; set; } = [];

    /// <summary>The process that reads, of those that share the documents; null if none does.</summary>
    public string? Holder { get; set; }

    public DateTimeOffset HeldUntil { get; set; }

    public static ScrubState Parse(ReadOnlySpan<byte> content)
    {
        try
        {
            return JsonSerializer.Deserialize(content, ServerJson.Default.ScrubState) ?? new ScrubState();
        }
        catch (JsonException)
        {
            // Another program's, or a later version's: all is read again.
            return new ScrubState();
        }
    }

    public byte[] ToBytes() => JsonSerializer.SerializeToUtf8Bytes(this, ServerJson.Default.ScrubState);

    public ScrubStatus ToStatus() => new()
    {
        Started = Started,
        Completed = Completed,
        Files = Files,
        Bytes = Bytes,
        TotalBytes = TotalBytes,
        Skipped = Skipped,
        Damaged = [.. Damaged],
    };
}
