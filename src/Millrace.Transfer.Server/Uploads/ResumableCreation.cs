using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>Creates uploads by the IETF draft: any PUT or POST to a file's own URL that has the field <c>Upload-Complete</c>.</summary>
internal static class ResumableCreation
{
    /// <summary>Whether a request wants an upload that can be resumed. A field that cannot be read counts as absent.</summary>
    public static bool IsWanted(HttpRequest request) => DraftRequest.TryReadComplete(request, out _);

    /// <summary>Answers such a request, refusals included; it is let in by <see cref="TransferGuard"/> here.</summary>
    /// <param name="context">The request.</param>
    /// <param name="store">Where the upload is kept.</param>
    /// <param name="options">Where uploads have their own URLs.</param>
    /// <param name="name">The file that it becomes.</param>
    public static Task CreateAsync(
        HttpContext context, IFileStore store, TransferServerOptions options, TransferName name)
    {
        var call = new UploadCall(context, store, options, options.UploadsPath.TrimEnd('/'))
        {
            Protocol = UploadProtocol.Draft,
        };
        return UploadProblems.RunAsync(call, created => DraftCreation.CreateAsync(created, name, metadata: null));
    }

    /// <summary>Says in the answer to OPTIONS of a file that uploads can be resumed there.</summary>
    public static void AddAbilities(HttpResponse response, IFileStore store) =>
        UploadAnswers.AddDraftAbilities(response, store);
}
