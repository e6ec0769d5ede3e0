using System.Globalization;
using System.IO.Compression;
using System.Text.Json;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>A page of a folder's names: JSON for programs, HTML for browsers.</summary>
internal sealed class FolderListing(TransferServerOptions options)
{
    /// <summary>Most entries of one page.</summary>
    /// <remarks>What <see cref="ListFilesOptions.PageSize"/> takes.</remarks>
    private const int MaxPageSize = 10_000;

    /// <summary>Bytes that are given to the connection at once.</summary>
    private const int PieceBytes = 64 * 1024;

    public async Task AnswerAsync(HttpContext context, IFileStore store, TransferName folder)
    {
        ListFilesOptions wanted = Read(context.Request.Query, folder);
        FilePage page = await store.ListAsync(wanted, context.RequestAborted);
        HttpResponse response = context.Response;
        IHeaderDictionary fields = response.Headers;

        // Whoever presses Back after a sign-out must not see what the session saw.
        fields.CacheControl = context.User.Identity?.AuthenticationType == SessionCookie.SchemeName ? "no-store" : "no-cache";
        fields.Vary = HeaderNames.Accept;
        fields.XContentTypeOptions = "nosniff";
        byte[] body;
        if (WantsPage(context.Request.Headers.Accept))
        {
            body = FolderPage.Render(context, wanted, page, options);
        }
        else
        {
            response.ContentType = "application/json";
            body = JsonSerializer.SerializeToUtf8Bytes(Document(folder, page), TransferJson.Default.ListingDocument);
        }

        if (options.Compress && body.Length >= CodedDownload.MinLength)
        {
            fields.Vary = $"{HeaderNames.Accept}, {HeaderNames.AcceptEncoding}";
            if (ContentCoding.Accepted(context.Request.Headers.AcceptEncoding) is [{ } coding, ..])
            {
                fields.ContentEncoding = coding.Name;
                body = Compress(body, coding);
            }
        }

        response.ContentLength = body.Length;
        if (HttpMethods.IsGet(context.Request.Method))
        {
            // In pieces: in one, all of it would be copied for a client that does not take it.
            for (int start = 0; start < body.Length; start += PieceBytes)
            {
                await response.Body.WriteAsync(
                    body.AsMemory(start, Math.Min(PieceBytes, body.Length - start)), context.RequestAborted);
            }
        }
    }

    private static byte[] Compress(byte[] body, ContentCoding coding)
    {
        var coded = new MemoryStream(body.Length / 4);
        using (Stream compressing = coding == ContentCoding.Brotli
            ? new BrotliStream(coded, CompressionLevel.Fastest)
            : new GZipStream(coded, CompressionLevel.Fastest))
        {
            compressing.Write(body);
        }

        return coded.ToArray();
    }

    /// <summary>
    /// Whether HTML is preferred to JSON. A program that accepts anything gets JSON; one without an Accept field at all, as
    /// those do that follow links, gets HTML.
    /// </summary>
    public static bool WantsPage(StringValues accept)
    {
        if (StringValues.IsNullOrEmpty(accept))
        {
            return true;
        }

        if (!MediaTypeHeaderValue.TryParseList(accept, out IList<MediaTypeHeaderValue>? types))
        {
            return false;
        }

        return QualityOf(types, "text", "html") > QualityOf(types, "application", "json");
    }

    /// <summary>The most exact of those that fit decides: RFC 9110, section 12.5.1.</summary>
    private static double QualityOf(IList<MediaTypeHeaderValue> types, string type, string subtype)
    {
        double quality = 0;
        int exactness = -1;
        foreach (MediaTypeHeaderValue candidate in types)
        {
            int fits = candidate.MatchesAllTypes ? 0
                : !candidate.Type.Equals(type, StringComparison.OrdinalIgnoreCase) ? -1
                : candidate.MatchesAllSubTypes ? 1
                : candidate.SubType.Equals(subtype, StringComparison.OrdinalIgnoreCase) ? 2
                : -1;
            if (fits > exactness)
            {
                exactness = fits;
                quality = candidate.Quality ?? 1;
            }
        }

        return quality;
    }

    private static ListFilesOptions Read(IQueryCollection query, TransferName folder)
    {
        var wanted = new ListFilesOptions { Folder = folder, Recursive = IsOn(query["recursive"]) };
        if (query["prefix"] is [{ Length: > 0 } prefix])
        {
            wanted = wanted with { Prefix = prefix };
        }

        if (query["after"] is [{ Length: > 0 } after])
        {
            wanted = wanted with { After = TransferName.Parse(after) };
        }

        if (query["limit"] is { Count: > 0 } limit)
        {
            wanted = int.TryParse(limit, NumberStyles.None, CultureInfo.InvariantCulture, out int size)
                && size is >= 1 and <= MaxPageSize
                ? wanted with { PageSize = size }
                : throw Errors.Invalid($"The limit of a listing is a number from 1 to {MaxPageSize}.", folder.Value);
        }

        return wanted;
    }

    /// <summary>Given without a value it is on as well.</summary>
    private static bool IsOn(StringValues value) =>
        value.Count > 0 && value.ToString() is not ("0" or "false");

    private static ListingDocument Document(TransferName folder, FilePage page)
    {
        var entries = new ListingEntry[page.Entries.Count];
        for (int i = 0; i < entries.Length; i++)
        {
            FileEntry entry = page.Entries[i];
            entries[i] = new ListingEntry
            {
                Name = entry.Name.Value,
                Kind = entry.IsFolder ? "folder" : "file",
                Length = entry.File?.Length,
                Modified = entry.Modified,
                Tag = entry.File?.Tag.ToString(),
                Sha256 = entry.File?.Sha256?.ToString(),
            };
        }

        return new ListingDocument
        {
            Folder = folder.Value,
            Entries = entries,
            Next = page.Next.IsRoot ? null : page.Next.Value,
        };
    }
}
