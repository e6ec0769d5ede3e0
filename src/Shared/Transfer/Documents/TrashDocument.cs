using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>A page of the trash, as <c>GET /trash</c> answers it.</summary>
internal sealed record TrashDocument
{
    /// <summary>The newest first.</summary>
    public IReadOnlyList<TrashEntryDocument> Entries { get; set; } = [];

    /// <summary>What <c>after</c> is for the next page; null at the end.</summary>
    public string? Next { get; set; }
}

/// <summary>A deleted or replaced file, or a deleted folder.</summary>
internal sealed record TrashEntryDocument
{
    /// <summary>Names it in the trash.</summary>
    public string Id { get; set; } = "";

    /// <summary>The name that it had.</summary>
    public string Name { get; set; } = "";

    /// <summary>Whether it is a folder.</summary>
    [JsonPropertyName("folder")]
    public bool IsFolder { get; set; }

    /// <summary>Bytes of the file, or of all in the folder.</summary>
    public long Length { get; set; }

    /// <summary>When it was deleted or replaced.</summary>
    public DateTimeOffset Deleted { get; set; }

    /// <summary>The token or user that did that; null if the caller was anonymous.</summary>
    public string? By { get; set; }

    /// <summary>Whether another version replaced it.</summary>
    [JsonPropertyName("replaced")]
    public bool IsReplaced { get; set; }
}

/// <summary>How an entry is restored.</summary>
internal sealed record TrashRestoreDocument
{
    /// <summary>Its new name; null for the one that it had.</summary>
    public string? Name { get; set; }
}

/// <summary>An entry that was restored.</summary>
internal sealed record TrashRestoredDocument
{
    /// <summary>The name that it has now.</summary>
    public string Name { get; set; } = "";
}

/// <summary>The permanently deleted entries.</summary>
internal sealed record TrashEmptiedDocument
{
    /// <summary>Entries.</summary>
    public int Deleted { get; set; }
}
