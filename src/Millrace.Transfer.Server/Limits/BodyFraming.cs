using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>
/// Refuses requests over HTTP/1 whose end a proxy may see elsewhere. Kestrel takes a <c>Transfer-Encoding</c> together with a
/// <c>Content-Length</c>, and leaves every coding before the last <c>chunked</c> in the body.
/// </summary>
internal static class BodyFraming
{
    // Kestrel gives a Content-Length beside a Transfer-Encoding this name.
    private const string ReplacedContentLength = "X-Content-Length";

    /// <exception cref="Refusal"><see cref="TransferError.InvalidRequest"/>; the response ends the connection.</exception>
    public static void ThrowIfUnclear(HttpRequest request)
    {
        StringValues coding = request.Headers.TransferEncoding;
        if (coding.Count > 0
            && (HttpProtocol.IsHttp10(request.Protocol)
                || !coding.ToString().Trim().Equals("chunked", StringComparison.OrdinalIgnoreCase)
                || request.ContentLength is not null || request.Headers.ContainsKey(ReplacedContentLength)))
        {
            throw new Refusal(
                TransferError.InvalidRequest,
                HttpProtocol.IsHttp10(request.Protocol)
                    ? "HTTP/1.0 has no Transfer-Encoding. Nothing was stored. Send a Content-Length, or use HTTP/1.1."
                    : "Transfer-Encoding has to be 'chunked' alone, without a Content-Length. Nothing was stored. Send one of the two fields, and name a compression in Content-Encoding.")
            {
                Field = "Connection",
                FieldValue = "close",
            };
        }
    }
}
