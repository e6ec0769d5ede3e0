namespace Millrace.Transfer.Server;

/// <summary>Redirects a request for a folder that lacks the trailing slash.</summary>
internal static class FolderRedirect
{
    /// <summary>Sends the client to the path with the slash when there is such a folder.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>: there is none.</exception>
    public static async Task AnswerAsync(HttpContext context, IFileStore store, FileTarget target)
    {
        if (!await store.FolderExistsAsync(target.Name, context.RequestAborted))
        {
            throw new TransferException(
                TransferError.NotFound, $"There is no file '{target.Name}'.", target.Name.Value);
        }

        Answer(context, target);
    }

    /// <summary>Sends the client to the path with the slash.</summary>
    public static void Answer(HttpContext context, FileTarget target)
    {
        // Relative to the client's URL, which is right even if a proxy changed the request's.
        context.Response.Headers.CacheControl = "no-cache";
        context.Response.StatusCode = StatusCodes.Status308PermanentRedirect;
        string segment = target.LastSegment;

        // A colon would be the end of a scheme.
        context.Response.Headers.Location = $"{(segment.Contains(':') ? "./" : "")}{segment}/{context.Request.QueryString}";
    }
}
