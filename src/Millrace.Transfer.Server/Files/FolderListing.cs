using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.IO.Compression;
using System.Text.Json;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>A folder's names: JSON for programs that ask for it, HTML for others.</summary>
internal sealed class FolderListing(TransferServerOptions options)
{
    /// <summary>Most entries of one page.</summary>
    /// <remarks>What <see cref="ListFilesOptions.PageSize"/> takes.</remarks>
    private const int MaxPageSize = 10_000;

    /// <summary>Bytes of a hash that a tag has: two listings of a folder never share it.</summary>
    private const int TagBytes = 15;

    /// <summary>Bytes that are given to the connection at once.</summary>
    private const int PieceBytes = 64 * 1024;

    public async Task AnswerAsync(HttpContext context, IFileStore store, TransferName folder)
    {
        HttpResponse response = context.Response;
        IHeaderDictionary fields = response.Headers;
        StringValues accept = context.Request.Headers.Accept;
        bool isHtml = TakesPage(accept);
        bool isServed = isHtml && WantsPage(accept) && PageShell.IsServed(context);

        // A program that follows links cannot be expected to know which of them are pages of one folder; browsers get the rest by script.
        ListFilesOptions wanted = Read(context.Request.Query, folder, all: isHtml && !isServed, out int entries);
        IAsyncEnumerable<(FilePage Page, bool IsLast)> pages = isHtml && FolderWalks.IsFor(context.Request.Query)
            ? FolderWalks.FoundAsync(context, store, folder)
            : ListAsync(context, store, wanted, entries);
        IAsyncEnumerable<ListingPiece> pieces = isHtml
            ? FolderPage.RenderAsync(context, wanted, pages, options, isServed)
            : RenderAsync(folder, pages);
        Stream? body = null;
        await using var connection = new BodyStream(response.BodyWriter);
        await foreach (ListingPiece piece in pieces)
        {
            if (body is null)
            {
                // Back after a sign-out must not show the session's listings.
                fields.CacheControl = context.User.Identity?.AuthenticationType == SessionCookie.SchemeName ? "no-store" : "no-cache";
                fields.Vary = HeaderNames.Accept;
                fields.XContentTypeOptions = "nosniff";
                if (!isHtml)
                {
                    response.ContentType = "application/json";
                }

                if (piece.IsLast && !isHtml && IsKnown(context, piece.Bytes.Span))
                {
                    return;
                }

                ContentCoding? coding = Negotiate(context, piece.Bytes.Length);
                if (piece.IsLast)
                {
                    await SendWholeAsync(context, coding is { } whole ? Compress(piece.Bytes, whole) : piece.Bytes);
                    return;
                }

                if (HttpMethods.IsHead(context.Request.Method))
                {
                    return;
                }

                body = coding is { } chosen ? Coder(connection, chosen) : connection;
            }

            body.Write(piece.Bytes.Span);
            if (piece.IsLast && body != connection)
            {
                // Not after a failure: a listing that has its end would pass for whole.
                await body.DisposeAsync();
            }

            await connection.FlushAsync(context.RequestAborted);
        }
    }

    /// <summary>The store's pages, each when the one before was sent; the last one has the place to continue.</summary>
    private static async IAsyncEnumerable<(FilePage Page, bool IsLast)> ListAsync(
        HttpContext context, IFileStore store, ListFilesOptions wanted, int entries)
    {
        TransferGuard guard = TransferGuard.Of(context);
        bool isLast;
        do
        {
            FilePage page = await guard.Limits.ListAsync(
                store, wanted with { PageSize = Math.Min(entries, ListFilesOptions.DefaultPageSize) }, context.RequestAborted);
            entries -= page.Entries.Count;
            wanted = wanted with { After = page.Next };
            isLast = page.Next.IsRoot || entries == 0;
            yield return (page, isLast);
        }
        while (!isLast);
    }

    /// <summary>
    /// Gives a listing that is made in one piece a tag, and answers a client that has it already. The tag is of the whole text: the time of
    /// a folder does not change when a file in it is written in place, and a bucket has no folders. Weak, as the coding may differ.
    /// </summary>
    private static bool IsKnown(HttpContext context, ReadOnlySpan<byte> body)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(body, hash);
        var tag = new EntityTagHeaderValue($"\"{Base64Url.EncodeToString(hash[..TagBytes])}\"", isWeak: true);
        context.Response.Headers.ETag = tag.ToString();
        if (context.Request.Headers.IfNoneMatch is not { Count: > 0 } fields
            || !EntityTagHeaderValue.TryParseList(fields, out IList<EntityTagHeaderValue>? known)
            || !known.Any(one => one.Tag == "*" || one.Compare(tag, useStrongComparison: false)))
        {
            return false;
        }

        context.Response.StatusCode = StatusCodes.Status304NotModified;
        context.Response.ContentType = null;
        return true;
    }

    private ContentCoding? Negotiate(HttpContext context, int bytes)
    {
        if (!options.Compress || bytes < CodedDownload.MinLength)
        {
            return null;
        }

        IHeaderDictionary fields = context.Response.Headers;
        fields.Vary = $"{HeaderNames.Accept}, {HeaderNames.AcceptEncoding}";
        if (ContentCoding.Accepted(context.Request.Headers.AcceptEncoding) is not [{ } coding, ..])
        {
            return null;
        }

        fields.ContentEncoding = coding.Name;
        return coding;
    }

    private static async ValueTask SendWholeAsync(HttpContext context, ReadOnlyMemory<byte> body)
    {
        context.Response.ContentLength = body.Length;
        if (HttpMethods.IsGet(context.Request.Method))
        {
            // In pieces: in one, all of it would be copied for a client that does not take it.
            for (int start = 0; start < body.Length; start += PieceBytes)
            {
                await context.Response.Body.WriteAsync(
                    body.Slice(start, Math.Min(PieceBytes, body.Length - start)), context.RequestAborted);
            }
        }
    }

    private static Stream Coder(Stream body, ContentCoding coding) => coding == ContentCoding.Brotli
        ? new BrotliStream(body, CompressionLevel.Fastest, leaveOpen: true)
        : new GZipStream(body, CompressionLevel.Fastest, leaveOpen: true);

    private static byte[] Compress(ReadOnlyMemory<byte> body, ContentCoding coding)
    {
        var coded = new MemoryStream(body.Length / 4);
        using (Stream compressing = Coder(coded, coding))
        {
            compressing.Write(body.Span);
        }

        return coded.ToArray();
    }

    /// <summary>Whether HTML is preferred to JSON.</summary>
    public static bool WantsPage(StringValues accept) =>
        MediaTypeHeaderValue.TryParseList(accept, out IList<MediaTypeHeaderValue>? types)
        && QualityOf(types, "text", "html").Quality > QualityOf(types, "application", "json").Quality;

    /// <summary>
    /// The same, or nothing else is asked for than anything: programs that follow links send no Accept field, or <c>*/*</c>.
    /// </summary>
    private static bool TakesPage(StringValues accept)
    {
        if (StringValues.IsNullOrEmpty(accept) || WantsPage(accept))
        {
            return true;
        }

        if (!MediaTypeHeaderValue.TryParseList(accept, out IList<MediaTypeHeaderValue>? types))
        {
            return false;
        }

        (double quality, int exactness) = QualityOf(types, "text", "html");
        return quality > 0 && exactness == 0 && QualityOf(types, "application", "json").Exactness == 0;
    }

    /// <summary>The most exact of those that fit decides: RFC 9110, section 12.5.1.</summary>
    private static (double Quality, int Exactness) QualityOf(IList<MediaTypeHeaderValue> types, string type, string subtype)
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

        return (quality, exactness);
    }

    /// <param name="query">The request's query.</param>
    /// <param name="folder">The folder.</param>
    /// <param name="all">Whether everything is listed if the request names no limit.</param>
    /// <param name="entries">How many entries are listed at most.</param>
    private static ListFilesOptions Read(IQueryCollection query, TransferName folder, bool all, out int entries)
    {
        entries = all ? int.MaxValue : ListFilesOptions.DefaultPageSize;
        var wanted = new ListFilesOptions { Folder = folder, Recursive = IsOn(query["recursive"]), SymbolicLinks = IsOn(query["symlinks"]) };
        if (query["digests"] is { Count: > 0 } digests && !IsOn(digests))
        {
            wanted = wanted with { OmitDigests = true };
        }

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
            entries = int.TryParse(limit, NumberStyles.None, CultureInfo.InvariantCulture, out int size)
                && size is >= 1 and <= MaxPageSize
                ? size
                : throw Errors.Invalid($"The limit of a listing is a number from 1 to {MaxPageSize}.", folder.Value);
        }

        return wanted;
    }

    /// <summary>Given without a value it is on as well.</summary>
    private static bool IsOn(StringValues value) =>
        value.Count > 0 && value.ToString() is not ("0" or "false");

    private static async IAsyncEnumerable<ListingPiece> RenderAsync(
        TransferName folder, IAsyncEnumerable<(FilePage Page, bool IsLast)> pages)
    {
        var piece = new ArrayBufferWriter<byte>(PieceBytes);
        await using var json = new Utf8JsonWriter(piece, new JsonWriterOptions { SkipValidation = true });
        json.WriteStartObject();
        json.WriteString("folder", folder.Value);
        json.WriteStartArray("entries");
        OmittedEntries omitted = default;
        await foreach ((FilePage page, bool isLast) in pages)
        {
            foreach (FileEntry entry in page.Entries)
            {
                Write(json, entry);
            }

            omitted += page.Omitted;
            if (isLast)
            {
                json.WriteEndArray();
                foreach ((string name, int count) in ((string, int)[])
                    [("omitted", omitted.Total), ("omittedNames", omitted.Names), ("omittedKinds", omitted.Kinds), ("omittedUnreadable", omitted.Unreadable)])
                {
                    if (count > 0)
                    {
                        json.WriteNumber(name, count);
                    }
                }

                if (!page.Next.IsRoot)
                {
                    json.WriteString("next", page.Next.Value);
                }

                json.WriteEndObject();
            }

            json.Flush();
            yield return new ListingPiece(piece.WrittenMemory, isLast);
            piece.ResetWrittenCount();
        }
    }

    /// <summary>A <see cref="ListingEntry"/>, without the object.</summary>
    public static void Write(Utf8JsonWriter json, in FileEntry entry)
    {
        json.WriteStartObject();
        json.WriteString("name"u8, entry.Name.Value);
        json.WriteString("kind"u8, entry.LinkTarget is not null ? "symlink"u8 : entry.IsFolder ? "folder"u8 : "file"u8);
        if (entry is { LinkTarget: { } target, File: { } link })
        {
            json.WriteString("target"u8, target);
            json.WritePropertyName("modified"u8);
            FileTimeConverter.Write(json, entry.Modified);
            json.WriteString("etag"u8, link.Tag.ToString());
        }
        else if (entry.File is { } file)
        {
            json.WriteNumber("length"u8, file.Length);
            json.WritePropertyName("modified"u8);
            FileTimeConverter.Write(json, entry.Modified);
            json.WriteString("etag"u8, file.Tag.ToString());
            if (file.Sha256 is { } sha256)
            {
                json.WriteString("sha256"u8, sha256.ToString());
            }

            if (file.IsExecutable)
            {
                json.WriteBoolean("executable"u8, true);
            }
        }
        else
        {
            json.WritePropertyName("modified"u8);
            FileTimeConverter.Write(json, entry.Modified);
        }

        json.WriteEndObject();
    }
}
