using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Under which name an upload is published.</summary>
internal static class UploadNames
{
    /// <summary>
    /// By <c>filename</c>, or <c>name</c> where a client only sends that. Uppy sends in <c>relativePath</c> from which folder
    /// a file was dropped; that counts where it is a name that the store takes and ends with the file's own.
    /// </summary>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.InvalidRequest"/>: there is none; <see cref="TransferError.InvalidName"/>: it is not one.
    /// </exception>
    public static TransferName Choose(TusMetadata metadata, AllowedNames allowed)
    {
        string name = metadata.Text("filename", isName: true) ?? metadata.Text("name", isName: true) ?? throw Errors.Invalid(
            "Upload-Metadata has no 'filename'. Send the name under which the file is to be kept, in base64: "
            + "Upload-Metadata: filename dHJpcHMuY3N2");
        string? relative = metadata.Text("relativePath", isName: true);
        return relative is not null
            && relative.Length > name.Length
            && relative.EndsWith(name, StringComparison.Ordinal)
            && relative[^(name.Length + 1)] == '/'
            && TransferName.TryParse(relative, out TransferName inFolder)
            && allowed.Has(inFolder)
            ? inFolder
            : TransferName.Parse(name);
    }

    /// <summary>By <c>Content-Disposition</c>, as the draft has it for URLs that are not the file's own.</summary>
    /// <exception cref="TransferException">As for <see cref="Choose(TusMetadata, AllowedNames)"/>.</exception>
    public static TransferName Choose(HttpRequest request)
    {
        string field = request.Headers.ContentDisposition.ToString();
        string? name = ContentDispositionHeaderValue.TryParse(field, out ContentDispositionHeaderValue? disposition)
            ? NameIn(disposition)
            : null;
        return string.IsNullOrEmpty(name)
            ? throw new TransferException(
                TransferError.InvalidRequest,
                "The upload has no name. Send it to the file's own URL with PUT, or name it: "
                + "Content-Disposition: inline; filename=\"trips.csv\"")
            : TransferName.Parse(name);
    }

    /// <summary>The framework replaces invalid UTF-8 by U+FFFD, which would make one name of two.</summary>
    private static string? NameIn(ContentDispositionHeaderValue field)
    {
        // RFC 8187, section 3.2.1: the charset, the language, and the percent-encoded name.
        string extended = NameValueHeaderValue.Find(field.Parameters, "filename*")?.Value.ToString() ?? "";
        if (extended.Split('\'', 3) is [var charset, _, var encoded] && charset.Equals("UTF-8", StringComparison.OrdinalIgnoreCase))
        {
            return NameEncoding.TryDecode(encoded, out string text, out NameFault fault, isParameter: true)
                ? text
                : throw new TransferException(TransferError.InvalidName, NameRules.Describe(encoded, fault));
        }

        string? name = HeaderUtilities.UnescapeAsQuotedString(
            field.FileNameStar.HasValue ? field.FileNameStar : field.FileName).Value;
        return name?.Contains('\uFFFD') is true && !field.ToString().Contains('\uFFFD')
            ? throw new TransferException(TransferError.InvalidName, NameRules.Describe(name, NameFault.NotUnicode))
            : name;
    }
}
