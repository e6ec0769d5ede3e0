using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>Responses of WebDAV that are short.</summary>
internal static class DavAnswer
{
    public const string MediaType = "application/xml; charset=utf-8";

    /// <summary>The classes of RFC 4918, section 18, that a store allows.</summary>
    public static string ClassesOf(IFileStore store) => store.Documents is null ? "1, 3" : "1, 2, 3";

    /// <summary>A writer of a whole document, which has begun.</summary>
    public static DavWriter Begin(ReadOnlySpan<byte> root)
    {
        var xml = new DavWriter(new ArrayBufferWriter<byte>(1024));
        xml.Raw(DavWriter.Head);
        xml.Raw(root);
        return xml;
    }

    /// <summary>Sends a whole document.</summary>
    public static async Task SendAsync(HttpContext context, DavWriter xml)
    {
        HttpResponse response = context.Response;
        response.ContentType = MediaType;
        response.Headers.CacheControl = "no-cache";
        response.Headers.XContentTypeOptions = "nosniff";
        response.ContentLength = xml.Written.Length;
        await response.Body.WriteAsync(xml.Written, context.RequestAborted);
    }

    /// <summary>Answers that a part of something failed: 207.</summary>
    public static Task SendFailuresAsync(HttpContext context, IEnumerable<(TransferName Name, bool IsFolder, int Status)> failures)
    {
        string prefix = FileTarget.HrefPrefixOf(context);
        DavWriter xml = Begin("<D:multistatus xmlns:D=\"DAV:\">"u8);
        foreach ((TransferName name, bool isFolder, int status) in failures)
        {
            xml.Raw("<D:response>"u8);
            xml.Href(prefix, name, isFolder);
            xml.Status(status);
            xml.Raw("</D:response>"u8);
        }

        xml.Raw("</D:multistatus>"u8);
        context.Response.StatusCode = StatusCodes.Status207MultiStatus;
        return SendAsync(context, xml);
    }

    /// <summary>The document for a refusal of a request that only WebDAV has; null for others, and for clients that ask for JSON.</summary>
    public static DavWriter? ErrorOf(HttpContext context, Refusal refusal, int status)
    {
        if (context.Request.Method is not ("PROPFIND" or "PROPPATCH" or "COPY" or "LOCK" or "UNLOCK")
            || context.Request.Headers.Accept.ToString().Contains(ErrorDocument.MediaType, StringComparison.OrdinalIgnoreCase))
        {
            return null;
        }

        string? condition = refusal.DavCondition ?? (status == StatusCodes.Status423Locked ? "lock-token-submitted" : null);
        DavWriter xml = Begin("<D:error xmlns:D=\"DAV:\" xmlns:m=\"https://millrace.dev/\">"u8);
        if (condition is not null)
        {
            xml.Raw("<D:"u8);
            xml.Raw(condition);
            if (condition == "lock-token-submitted")
            {
                xml.Raw("><D:href>"u8);
                xml.Text(RawTarget.PathOf(context));
                xml.Raw("</D:href></D:lock-token-submitted>"u8);
            }
            else
            {
                xml.Raw("/>"u8);
            }
        }

        xml.Raw("<m:message>"u8);
        xml.Text(refusal.Message);
        xml.Raw("</m:message></D:error>"u8);
        return xml;
    }
}
