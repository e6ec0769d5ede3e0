using System.Runtime.CompilerServices;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>The response fields that describe a file.</summary>
internal readonly struct FileFields(HttpContext context, StoredFile file)
{
    /// <summary>The query that asks for a file to keep instead of one to look at.</summary>
    public const string DownloadQuery = "download";

    /// <summary>
    /// Runs nothing, and loads nothing from anywhere, so that viewing a file reveals nothing to others. A saved page's own content is shown.
    /// </summary>
    private const string ActivePolicy =
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:";

    /// <summary>The page shows a PDF in a frame; no other page may frame a file.</summary>
    private const string FramePolicy = "frame-ancestors 'self'";

    /// <summary>How old the date may be that Kestrel gives a response: it looks at the clock once a second.</summary>
    private static readonly TimeSpan DateLag = TimeSpan.FromSeconds(3);

    /// <summary>Those of files whose description the store keeps, as long as it does.</summary>
    private static readonly ConditionalWeakTable<StoredFile, Texts> Kept = [];

    private readonly Texts _texts = file.Sha256 is null ? new Texts(file) : Kept.GetValue(file, static known => new Texts(known));

    public string MediaType => _texts.MediaType;

    /// <summary>Writes the fields that are the same for the whole and for parts.</summary>
    /// <param name="coding">The body's coding.</param>
    /// <param name="varies">Whether another client might get another coding.</param>
    public void Write(ContentCoding coding, bool varies)
    {
        IHeaderDictionary fields = context.Response.Headers;
        fields.ContentType = MediaType;
        fields.ContentDisposition = context.Request.Query.ContainsKey(DownloadQuery)
            ? Disposition("attachment", file.Name.FileName)
            : _texts.Inline;
        DateTimeOffset now = DateTimeOffset.UtcNow;
        if (_texts.Date < now - DateLag)
        {
            fields.LastModified = _texts.LastModified;
        }
        else
        {
            // Not later than the date of the response (RFC 9110, section 8.8.2.1): the next version would be older than that.
            fields.Date = HeaderUtilities.FormatDate(now);
            fields.LastModified = HeaderUtilities.FormatDate(_texts.Date < now ? _texts.Date : now);
        }

        fields[TransferHeaders.Modified] = _texts.Modified;
        if (file.IsExecutable)
        {
            fields[TransferHeaders.Executable] = "?1";
        }

        fields.CacheControl = "no-cache";
        fields.XContentTypeOptions = "nosniff";
        bool isActive = Server.MediaType.IsActive(MediaType);
        fields.ContentSecurityPolicy = PageCors.AllowsOrigins(context)
            ? isActive ? ActivePolicy : default
            : isActive ? ActivePolicy + "; " + FramePolicy : FramePolicy;

        PassOn(fields);

        // The URL may be a signed link, which anyone who learns it can use.
        fields["Referrer-Policy"] = "no-referrer";

        if (varies)
        {
            fields.Vary = HeaderNames.AcceptEncoding;
        }

        if (!coding.IsIdentity)
        {
            // Weak, because bytes differ from coding to coding: it is good for If-None-Match, and never for If-Range.
            fields.ETag = $"W/{file.Tag}";
            fields.ContentEncoding = coding.Name;
            return;
        }

        fields.ETag = _texts.Tag;
        fields.AcceptRanges = "bytes";
        if (_texts.Digest is { } digest)
        {
            fields[TransferHeaders.ReprDigest] = digest;
        }
    }

    /// <summary>Lets nginx pass a response on as it comes. It would store up to 1 GiB for a client that is slower than the server.</summary>
    public static void PassOn(IHeaderDictionary fields) => fields["X-Accel-Buffering"] = "no";

    /// <summary>Removes the fields that describe a body that is not sent.</summary>
    public void MakeNotModified()
    {
        context.Response.StatusCode = StatusCodes.Status304NotModified;
        IHeaderDictionary fields = context.Response.Headers;
        fields.Remove(HeaderNames.ContentType);
        fields.Remove(HeaderNames.ContentEncoding);
        fields.Remove(HeaderNames.ContentDisposition);
    }

    /// <summary>Both forms of the name: RFC 6266, and RFC 8187 for names outside ASCII.</summary>
    public static string Disposition(string kind, string fileName)
    {
        var disposition = new ContentDispositionHeaderValue(kind);
        disposition.SetHttpFileName(fileName);
        return disposition.ToString();
    }

    /// <summary>The fields made from a file's description.</summary>
    private sealed class Texts(StoredFile file)
    {
        public string MediaType { get; } = Server.MediaType.Of(file.Name);

        public string Inline { get; } = Disposition("inline", file.Name.FileName);

        public DateTimeOffset Date { get; } = file.Modified.ToDateTimeOffset();

        public string LastModified { get; } = HeaderUtilities.FormatDate(file.Modified.ToDateTimeOffset());

        public string Modified { get; } = file.Modified.ToString();

        public string Tag { get; } = file.Tag.ToString();

        public string? Digest { get; } = file.Sha256 is { } digest ? DigestField.Format(digest) : null;
    }
}
