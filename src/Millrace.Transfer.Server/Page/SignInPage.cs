using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>What a person gets who opens a URL without the token that it needs.</summary>
internal static class SignInPage
{
    /// <summary>Whether a refusal is answered with it: a browser opened the URL, and the application serves the page.</summary>
    public static bool Answers(HttpContext context, TransferException refusal) =>
        refusal.Error == TransferError.Unauthorized
        && HttpMethods.IsGet(context.Request.Method)
        && context.Request.Headers.Accept.Count > 0
        && FolderListing.WantsPage(context.Request.Headers.Accept)
        && context.Request.Headers["Sec-Fetch-Mode"].ToString() is ("" or "navigate")
        && PageShell.IsServed(context);

    public static async Task AnswerAsync(HttpContext context, TransferServerOptions options)
    {
        HttpResponse response = context.Response;
        response.Clear();
        response.StatusCode = StatusCodes.Status401Unauthorized;
        PageShell.Write(context);
        response.Headers.CacheControl = "no-store";
        response.Headers.WWWAuthenticate = "Bearer";
        byte[] body = PageShell.End(PageShell.Begin(new StringBuilder(), context, options, "Sign in")
            .Append("<h1>Sign in</h1>\n<p>This server needs a token. The page asks for it with JavaScript; programs send it as <code>Authorization: Bearer TOKEN</code>.</p>\n"));
        response.ContentLength = body.Length;
        await response.Body.WriteAsync(body, context.RequestAborted);
    }
}
