using System.Collections.Frozen;
using Microsoft.AspNetCore.StaticFiles;

namespace Millrace.Transfer.Server;

/// <summary>The type of a file, by its name, and of a request.</summary>
internal static class MediaType
{
    public const string Unknown = "application/octet-stream";

    private static readonly FileExtensionContentTypeProvider Known = WithAdditions();

    /// <summary>Types other than text that compress well.</summary>
    private static readonly FrozenSet<string> Compressible = FrozenSet.Create(
        StringComparer.OrdinalIgnoreCase,
        "application/json",
        "application/javascript",
        "application/manifest+json",
        "application/rtf",
        "application/sql",
        "application/toml",
        "application/wasm",
        "application/x-javascript",
        "application/x-ndjson",
        "application/x-sh",
        "application/x-tar",
        "application/xml",
        "application/yaml",
        "image/bmp",
        "image/x-icon");

    /// <summary>Refuses a body of another type.</summary>
    /// <exception cref="Refusal">415: it is not of this type, whatever its parameters are.</exception>
    public static void ThrowIfOther(HttpRequest request, string wanted, string message)
    {
        if (request.ContentType is not { } sent || !sent.Split(';')[0].Trim().Equals(wanted, StringComparison.OrdinalIgnoreCase))
        {
            throw new Refusal(TransferError.InvalidRequest, message) { Status = StatusCodes.Status415UnsupportedMediaType };
        }
    }

    /// <summary>By the name's extension; <see cref="Unknown"/> for an unknown one.</summary>
    public static string Of(TransferName name) =>
        Known.TryGetContentType(name.FileName, out string? type) ? type : Unknown;

    /// <summary>Whether compressing is worth its time.</summary>
    public static bool IsCompressible(string type) =>
        type.StartsWith("text/", StringComparison.OrdinalIgnoreCase)
        || type.EndsWith("+json", StringComparison.OrdinalIgnoreCase)
        || type.EndsWith("+xml", StringComparison.OrdinalIgnoreCase)
        || Compressible.Contains(type);

    /// <summary>
    /// Whether a browser would run its content as a page of this site: a client that may store a file could act for a user who views
    /// it.
    /// </summary>
    public static bool IsActive(string type) =>
        type.EndsWith("/html", StringComparison.OrdinalIgnoreCase)
        || type.EndsWith("/xml", StringComparison.OrdinalIgnoreCase)
        || type.EndsWith("+xml", StringComparison.OrdinalIgnoreCase)
        || type.Equals("text/xsl", StringComparison.OrdinalIgnoreCase)
        || type.Equals("message/rfc822", StringComparison.OrdinalIgnoreCase);

    private static FileExtensionContentTypeProvider WithAdditions()
    {
        var provider = new FileExtensionContentTypeProvider();
        foreach ((string extension, string type) in (ReadOnlySpan<(string, string)>)
            [
                (".log", "text/plain"),
                (".md", "text/markdown"),
                (".ndjson", "application/x-ndjson"),
                (".jsonl", "application/x-ndjson"),
                (".toml", "application/toml"),
                (".yaml", "application/yaml"),
                (".yml", "application/yaml"),
                (".parquet", "application/vnd.apache.parquet"),
                (".zst", "application/zstd"),
            ])
        {
            provider.Mappings[extension] = type;
        }

        return provider;
    }
}
