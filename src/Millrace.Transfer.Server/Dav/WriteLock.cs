using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>A write lock (RFC 4918, section 7): who may change a file, or a folder and its content.</summary>
internal sealed record WriteLock
{
    /// <summary>The secret that its holder submits, as a URI.</summary>
    [JsonPropertyName("token")]
    public required string Token { get; init; }

    /// <summary>The file or folder; empty for the root.</summary>
    [JsonPropertyName("name")]
    public required string Name { get; init; }

    /// <summary>Whether that is a folder.</summary>
    [JsonPropertyName("folder")]
    public bool IsFolder { get; init; }

    /// <summary>Whether others may lock the same.</summary>
    [JsonPropertyName("shared")]
    public bool IsShared { get; init; }

    /// <summary>Whether everything in a folder is locked, and not only which names are in it.</summary>
    [JsonPropertyName("deep")]
    public bool IsDeep { get; init; }

    /// <summary>
    /// Whether it only keeps other syncs away from a folder, which need not exist: it forbids no change, and conflicts with nothing else.
    /// </summary>
    [JsonPropertyName("sync")]
    public bool IsForSync { get; init; }

    /// <summary>The secret of a sync, whose next run takes the lock over; null without one.</summary>
    [JsonPropertyName("key")]
    public string? SyncKey { get; init; }

    /// <summary>The token or user that may use it; null for an anonymous caller.</summary>
    [JsonPropertyName("caller")]
    public string? Caller { get; init; }

    /// <summary>The element <c>owner</c> that its holder wrote, for others to read; null without one.</summary>
    [JsonPropertyName("owner")]
    public string? OwnerXml { get; init; }

    /// <summary>The text of that element; empty without one, and of one that is longer than a name and an address.</summary>
    [JsonIgnore]
    public string Holder => OwnerXml is { Length: <= 1024 } xml ? DavDocument.ReadText(xml) : "";

    /// <summary>Seconds that it lasts from its last refresh.</summary>
    [JsonPropertyName("seconds")]
    public long Seconds { get; init; }

    [JsonPropertyName("expires")]
    public DateTimeOffset Expires { get; init; }

    /// <summary>The version of the empty file that the lock made; null if there was something before.</summary>
    [JsonPropertyName("made")]
    public string? MadeTag { get; init; }

    /// <summary>The time of that file: in a bucket, all empty files have one version.</summary>
    [JsonPropertyName("madeTime")]
    public string? MadeTime { get; init; }

    [JsonIgnore]
    public TransferName Root => Name.Length == 0 ? default : TransferName.Parse(Name);
}

/// <summary>All locks of a store.</summary>
internal sealed record LockDocument
{
    [JsonPropertyName("locks")]
    public WriteLock[] Locks { get; init; } = [];
}
