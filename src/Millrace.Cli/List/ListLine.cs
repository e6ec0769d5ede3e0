using System.Text.Json;
using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.List;

/// <summary>A file or folder; a line of `millrace ls --json`.</summary>
internal sealed record ListLine
{
    /// <summary>Its whole name, from the store's root.</summary>
    public required string Name { get; init; }

    /// <summary>`file` or `folder`.</summary>
    public required string Kind { get; init; }

    /// <summary>Its URL; a folder's ends with a slash.</summary>
    public required string Url { get; init; }

    /// <summary>Its bytes; null for a folder, as all that follows.</summary>
    public long? Length { get; init; }

    /// <summary>When it was last changed.</summary>
    public DateTimeOffset? Modified { get; init; }

    /// <summary>Its version with quotes.</summary>
    public string? Etag { get; init; }

    /// <summary>SHA-256 in hexadecimal digits, when the server knows it.</summary>
    public string? Sha256 { get; init; }

    /// <summary>Of an entry.</summary>
    public static ListLine Of(RemoteEntry entry, TransferTarget target) => new()
    {
        Name = entry.Name.Value,
        Kind = entry.IsFolder ? "folder" : "file",
        Url = target.UrlOf(entry.Name, entry.IsFolder),
        Length = entry.Length,
        Modified = entry.Modified,
        Etag = entry.Tag?.ToString(),
        Sha256 = entry.Sha256?.ToString(),
    };

    /// <summary>Writes it in one line.</summary>
    public string ToJson() => JsonSerializer.Serialize(this, CommandJson.Line.ListLine);
}
