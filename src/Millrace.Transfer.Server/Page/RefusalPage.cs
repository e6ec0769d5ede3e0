using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>
/// The page that answers a browser whose URL needs a token, does not exist or is not allowed. Its script may show more.
/// </summary>
internal static class RefusalPage
{
    /// <summary>Whether a refusal is answered with it: a browser opened the URL, not in a frame, and the application serves the page.</summary>
    public static bool Answers(HttpContext context, TransferException refusal) =>
        refusal.Error is TransferError.Unauthorized or TransferError.Forbidden or TransferError.NotFound && IsWanted(context);

    /// <summary>Whether a browser opened a URL, not in a frame, and the application serves the page.</summary>
    public static bool IsWanted(HttpContext context) =>
        HttpMethods.IsGet(context.Request.Method)
        && !context.Response.HasStarted
        && context.Request.Headers.Accept.Count > 0
        && FolderListing.WantsPage(context.Request.Headers.Accept)
        && context.Request.Headers["Sec-Fetch-Mode"].ToString() is ("" or "navigate")
        && context.Request.Headers["Sec-Fetch-Dest"].ToString() is ("" or "document")
        && PageShell.IsServed(context);

    /// <summary>Answers a browser that has a link to drop files into the folder of the URL.</summary>
    public static async Task AnswerDropAsync(HttpContext context, TransferServerOptions options)
    {
        StringBuilder html = PageShell.Begin(new StringBuilder(), context, options, "Send files", isServed: true)
            .Append("<h1>Send files</h1>\n<p>The page sends files with JavaScript; programs do it as <code>curl -T FILE \"URL\"</code>, with the name of the file before the question mark.</p>\n");
        context.Response.Headers.CacheControl = "no-store";
        byte[] body = PageShell.End(html);
        context.Response.ContentLength = body.Length;
        await context.Response.Body.WriteAsync(body, context.RequestAborted);
    }

    public static async Task AnswerAsync(HttpContext context, TransferServerOptions options, TransferException refusal)
    {
        (string title, string sentence) = refusal.Error switch
        {
            TransferError.Unauthorized => (
                "Sign in",
                "This server needs a token. The page asks for it with JavaScript; programs send it as <code>Authorization: Bearer TOKEN</code>."),
            TransferError.Forbidden => ("Not allowed", PageShell.Text(refusal.Message)),
            _ => ("Not found", PageShell.Text(refusal.Message)),
        };
        HttpResponse response = context.Response;
        response.Clear();
        response.StatusCode = Problems.StatusOf(refusal.Error);
        StringBuilder html = PageShell.Begin(new StringBuilder(), context, options, title, isServed: true)
            .Append("<h1>").Append(title).Append("</h1>\n<p>").Append(sentence).Append("</p>\n");
        response.Headers.CacheControl = "no-store";
        if (refusal.Error == TransferError.Unauthorized)
        {
            response.Headers.WWWAuthenticate = "Bearer";
        }

        byte[] body = PageShell.End(html);
        response.ContentLength = body.Length;
        await response.Body.WriteAsync(body, context.RequestAborted);
    }
}
