using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>Where a COPY or MOVE leads: the fields Destination and Overwrite (RFC 4918, sections 10.3 and 10.6).</summary>
internal static class Destination
{
    private const string Field = "Destination";

    /// <summary>The new name, from a URL of this server or a path.</summary>
    /// <exception cref="TransferException">It is missing, on another server, or no name.</exception>
    public static FileTarget Read(HttpContext context, Uri? publicUrl)
    {
        StringValues field = context.Request.Headers[Field];
        string text = field.ToString();

        // Two fields may come as one line.
        if (field.Count != 1 || text.AsSpan().ContainsAny('?', '#') || text.Contains(", /", StringComparison.Ordinal))
        {
            throw Errors.Invalid(
                $"The field {Field} of a {context.Request.Method} has the new path, for example /files/new, without a query. Send it once.");
        }

        return Parse(context, text, publicUrl, Field);
    }

    /// <summary>A name, from a URL of this server or a path.</summary>
    /// <exception cref="TransferException">It is on another server, or no name.</exception>
    public static FileTarget Parse(HttpContext context, string text, Uri? publicUrl, string field)
    {
        if (text.StartsWith('/'))
        {
            return FileTarget.Of(context, text);
        }

        int authority = text.IndexOf("://", StringComparison.Ordinal);
        if (authority < 0
            || !Uri.TryCreate(text, UriKind.Absolute, out Uri? url)
            || !(CrossSiteRequest.IsOf(url, HostNames.Of(context.Request))
                || (publicUrl is not null && url.GetLeftPart(UriPartial.Authority) == publicUrl.GetLeftPart(UriPartial.Authority))))
        {
            throw Errors.Invalid(
                $"The field {field} is '{NameEncoding.Printable(text)}', which is not at this server. Name a path of this server, for example /files/new.");
        }

        int slash = text.IndexOf('/', authority + 3);
        return FileTarget.Of(context, slash < 0 ? "/" : text[slash..]);
    }

    /// <summary>Whether an existing file or folder of the new name may be replaced.</summary>
    /// <param name="request">The request.</param>
    /// <param name="isExplicit">
    /// Whether the request has the field. In RFC 4918 its absence means the same, but a whole folder is deleted only on explicit request.
    /// </param>
    public static bool MayReplace(HttpRequest request, out bool isExplicit)
    {
        string field = request.Headers["Overwrite"].ToString();
        isExplicit = field == "T";
        return field switch
        {
            "" or "T" => true,
            "F" => false,
            _ => throw Errors.Invalid("The field Overwrite is T or F."),
        };
    }
}
