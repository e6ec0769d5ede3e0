using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>Creates uploads by the IETF draft: any PUT or POST to a file's own URL that has the field <c>Upload-Complete</c>.</summary>
internal static class ResumableCreation
{
    /// <summary>Whether a request wants an upload that can be resumed.</summary>
    public static bool IsWanted(HttpRequest request) => request.Headers.ContainsKey(TransferHeaders.UploadComplete);

    /// <summary>Answers such a request.</summary>
    /// <param name="context">The request.</param>
    /// <param name="store">Where the upload is kept.</param>
    /// <param name="options">Where uploads have their own URLs.</param>
    /// <param name="name">The file that it becomes.</param>
    public static Task CreateAsync(
        HttpContext context, IFileStore store, TransferServerOptions options, TransferName name) =>
        throw new NotSupportedException();
}
