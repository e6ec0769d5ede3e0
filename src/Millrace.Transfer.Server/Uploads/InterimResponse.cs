using Millrace.Kestrel;

namespace Millrace.Transfer.Server;

/// <summary>
/// <c>104 Upload Resumption Supported</c>: sends the URL for continuing an upload before its bytes have arrived, so that a
/// connection that dies in the first request costs nothing, and then how much has been saved.
/// </summary>
internal static class InterimResponse
{
    private const int UploadResumptionSupported = 104;

    /// <summary>Sends the URL, if that can be done here and the client asked for a draft that is spoken.</summary>
    /// <param name="context">The request; neither its body may have been read, nor its answer begun.</param>
    /// <param name="location">Where the upload can be continued.</param>
    /// <param name="limit">The value of <c>Upload-Limit</c>.</param>
    /// <returns>Whether the response was sent.</returns>
    public static ValueTask<bool> TrySendAsync(HttpContext context, string location, string limit) =>
        TrySendAsync(context, [new("Location", location), new(UploadHeaders.UploadLimit, limit)]);

    /// <summary>Sends how many bytes have been saved, in the same way; no read of the body may be pending.</summary>
    public static ValueTask<bool> TrySendOffsetAsync(HttpContext context, long offset) =>
        TrySendAsync(context, [new(TransferHeaders.UploadOffset, UploadCall.Text(offset))]);

    /// <summary>Whether the client asked for a draft that is spoken.</summary>
    public static bool IsWanted(HttpRequest request) =>
        DraftRequest.TryReadVersion(request, out long version) && DraftRequest.IsSupported(version);

    private static ValueTask<bool> TrySendAsync(HttpContext context, KeyValuePair<string, string>[] fields) =>
        DraftRequest.TryReadVersion(context.Request, out long version) && DraftRequest.IsSupported(version)
            ? context.Response.TrySendInterimAsync(
                UploadResumptionSupported, [.. fields, new(TransferHeaders.UploadDraftInteropVersion, UploadCall.Text(version))])
            : new(false);
}
