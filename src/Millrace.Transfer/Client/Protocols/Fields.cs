using System.Buffers;
using System.Globalization;
using System.Net.Http.Headers;

namespace Millrace.Transfer;

/// <summary>Reads the fields of answers.</summary>
internal static class Fields
{
    /// <summary>The characters of a Millrace server's tags.</summary>
    private static readonly SearchValues<char> Plain = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

    public static string? Text(HttpResponseMessage response, string name)
    {
        if (response.Headers.TryGetValues(name, out IEnumerable<string>? values)
            || response.Content.Headers.TryGetValues(name, out values))
        {
            return string.Join(", ", values);
        }

        return null;
    }

    /// <summary>A whole number that is not negative; null for anything else.</summary>
    public static long? Number(HttpResponseMessage response, string name) => Number(Text(response, name));

    public static long? Number(string? text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long number) ? number : null;

    /// <summary>When the file was last changed, as exactly as the server reports it.</summary>
    public static FileTime? Modified(HttpResponseMessage response) =>
        FileTime.TryParse(Text(response, TransferHeaders.Modified), out FileTime time) ? time : response.Content.Headers.LastModified;

    /// <summary>Whether the owner of the file may run it.</summary>
    public static bool IsExecutable(HttpResponseMessage response) => Text(response, TransferHeaders.Executable) == "?1";

    /// <summary>The tag of an answer; null without a strong one.</summary>
    public static EntityTag? Tag(HttpResponseMessage response) => Tag(response.Headers.ETag);

    public static EntityTag? Tag(EntityTagHeaderValue? tag) =>
        tag is { IsWeak: false, Tag.Length: > 2 } ? new EntityTag(tag.Tag[1..^1]) : null;

    /// <summary>The tag of a listing, quotes included; null for none.</summary>
    public static EntityTag? Tag(string? text) =>
        text is ['"', .. { Length: > 0 } value, '"'] && !value.AsSpan().ContainsAnyExcept(Plain) ? new EntityTag(value)
        : EntityTagHeaderValue.TryParse(text, out EntityTagHeaderValue? tag) ? Tag(tag) : null;

    /// <summary>The digest of the whole file; null without one that can be read.</summary>
    public static Sha256Digest? Sha256(HttpResponseMessage response) =>
        Text(response, TransferHeaders.ReprDigest) is { } field && DigestField.TryParse(field, out Sha256Digest? digest)
            ? digest
            : null;
}
