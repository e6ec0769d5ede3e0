using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>The field <c>Content-Encoding</c> of a stored file.</summary>
internal static class RequestEncoding
{
    /// <summary>The coding of a request's body.</summary>
    /// <exception cref="Refusal">415: it cannot be unpacked here.</exception>
    public static ContentCoding Of(HttpRequest request, TransferName name)
    {
        ContentCoding coding = ContentCoding.Identity;
        foreach (string? line in request.Headers.ContentEncoding)
        {
            foreach (string part in (line ?? "").Split(',', StringSplitOptions.TrimEntries))
            {
                if (part.Length == 0 || part.Equals("identity", StringComparison.OrdinalIgnoreCase))
                {
                    continue;
                }

                // One in another would be unpacked twice, which only decompression bombs need.
                coding = coding.IsIdentity ? Known(part, name) : throw Unknown(request.Headers.ContentEncoding.ToString(), name);
            }
        }

        return coding;
    }

    private static ContentCoding Known(string text, TransferName name) => text.ToUpperInvariant() switch
    {
        "GZIP" or "X-GZIP" => ContentCoding.Gzip,
        "BR" => ContentCoding.Brotli,
        _ => throw Unknown(text, name),
    };

    private static Refusal Unknown(string text, TransferName name) => new(
        TransferError.InvalidRequest,
        $"'{name}' was sent in the coding '{NameEncoding.Printable(text)}'. It can be sent as it is, or in gzip or br.",
        name.Value)
    {
        Status = StatusCodes.Status415UnsupportedMediaType,
        Field = HeaderNames.AcceptEncoding,
        FieldValue = "gzip, br",
    };
}
