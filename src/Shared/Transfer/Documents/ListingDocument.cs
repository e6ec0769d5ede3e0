using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>A page of a folder's listing, as <c>GET /files/FOLDER/</c> answers it in JSON.</summary>
internal sealed record ListingDocument
{
    /// <summary>The folder; empty for the root.</summary>
    public string Folder { get; set; } = "";

    /// <summary>Its files and folders, in the order of their names.</summary>
    public IReadOnlyList<ListingEntry> Entries { get; set; } = [];

    /// <summary>How many entries between these names are left out; null for none.</summary>
    public int? Omitted { get; set; }

    /// <summary>How many of them because of their names; null for none.</summary>
    public int? OmittedNames { get; set; }

    /// <summary>How many of them because of their kind; null for none.</summary>
    public int? OmittedKinds { get; set; }

    /// <summary>How many of them because the store may not read them; null for none.</summary>
    public int? OmittedUnreadable { get; set; }

    /// <summary>What to give as <c>after</c> for the next page; null at the end.</summary>
    public string? Next { get; set; }
}

/// <summary>A file or a folder of a <see cref="ListingDocument"/>.</summary>
internal sealed record ListingEntry
{
    /// <summary>Its whole name, from the store's root.</summary>
    public string Name { get; set; } = "";

    /// <summary><c>file</c> or <c>folder</c>, or <c>symlink</c> if these were asked for.</summary>
    public string Kind { get; set; } = "file";

    /// <summary>The target of a symbolic link; null for anything else.</summary>
    public string? Target { get; set; }

    /// <summary>Its bytes; null for a folder and a link.</summary>
    public long? Length { get; set; }

    /// <summary>When it was last changed.</summary>
    [JsonConverter(typeof(FileTimeConverter))]
    public FileTime? Modified { get; set; }

    /// <summary>Its entity tag with quotes; null for a folder.</summary>
    [JsonPropertyName("etag")]
    public string? Tag { get; set; }

    /// <summary>Whether its owner may run it; null if not, or if that is unknown.</summary>
    public bool? Executable { get; set; }

    /// <summary>Its SHA-256 in hexadecimal, when the server knows it; null otherwise.</summary>
    public string? Sha256 { get; set; }
}
