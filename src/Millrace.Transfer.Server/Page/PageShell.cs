using System.Text;
using System.Text.Encodings.Web;

namespace Millrace.Transfer.Server;

/// <summary>What surrounds a listing for browsers: the page's scripts and styles where the application serves them, its own style elsewhere.</summary>
internal static class PageShell
{
    /// <summary>No script but the page's own, nothing of another host, and no other page's frame.</summary>
    /// <remarks>
    /// A nonce, because 'self' would be every stored file too. There is none for workers: <see cref="FileHandler"/> refuses stored files as such.
    /// Trusted types are not required, as the page starts its worker by a URL.
    /// </remarks>
    private const string PagePolicy =
        "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; img-src 'self'; media-src 'self'; connect-src 'self'; "
        + "worker-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";

    private const int NonceBytes = 16;

    /// <summary>Only the listing's own style may apply, and no script may run.</summary>
    private static readonly string PlainPolicy =
        $"default-src 'none'; style-src 'sha256-{Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(FolderPageStyle.Css)))}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    /// <summary>Writes the fields that restrict the page in the browser, and everything up to the content.</summary>
    /// <param name="html">The output.</param>
    /// <param name="context">The request.</param>
    /// <param name="options">Where files are.</param>
    /// <param name="title">The title.</param>
    /// <param name="isServed">Whether the page's scripts and styles belong to it.</param>
    public static StringBuilder Begin(
        StringBuilder html, HttpContext context, TransferServerOptions options, string title, bool isServed)
    {
        string nonce = isServed ? Convert.ToBase64String(RandomNumberGenerator.GetBytes(NonceBytes)) : "";
        IHeaderDictionary fields = context.Response.Headers;
        fields.ContentSecurityPolicy = isServed ? PagePolicy.Replace("{0}", nonce, StringComparison.Ordinal) : PlainPolicy;
        if (context.Request.IsHttps)
        {
            // Browsers ignore it elsewhere, and complain.
            fields["Cross-Origin-Opener-Policy"] = "same-origin";
        }

        fields["Referrer-Policy"] = "same-origin";
        fields.XContentTypeOptions = "nosniff";
        context.Response.ContentType = "text/html; charset=utf-8";
        string root = context.Request.PathBase.ToUriComponent();
        html.Append("<!doctype html>\n<html lang=\"en\"");
        if (isServed)
        {
            html.Append(" data-files=\"").Append(Text(PathOf(context, options.FilesPath))).Append("/\" data-session=\"")
                .Append(Text(root + PageEndpoints.SessionPath)).Append("\" data-links=\"").Append(Text(root + PageEndpoints.LinksPath))
                .Append("\" data-languages=\"").Append(PageAssets.Languages).Append('"');
            if (context.Response.StatusCode != StatusCodes.Status200OK)
            {
                html.Append(" data-status=\"").Append(context.Response.StatusCode).Append('"');
            }
        }

        html.Append(">\n<head>\n<meta charset=\"utf-8\">\n")
            .Append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
            .Append("<meta name=\"color-scheme\" content=\"light dark\">\n<title>").Append(Text(title)).Append("</title>\n");
        if (!isServed)
        {
            return html.Append("<style>").Append(FolderPageStyle.Css).Append("</style>\n</head>\n<body>\n<main>\n");
        }

        string path = Text($"{root}{PageEndpoints.AssetsPath}/{PageAssets.Hash}");
        return html.Append("<link rel=\"stylesheet\" href=\"").Append(path).Append("/app.css\" nonce=\"").Append(nonce)
            .Append("\">\n<link rel=\"icon\" href=\"").Append(path).Append("/icon.svg\">\n<script type=\"module\" src=\"").Append(path)
            .Append("/app.js\" nonce=\"").Append(nonce).Append("\"></script>\n</head>\n<body class=\"plain\">\n<main>\n");
    }

    /// <summary>A path of the application as browsers see it, without a trailing slash.</summary>
    public static string PathOf(HttpContext context, string path) =>
        $"{context.Request.PathBase.ToUriComponent()}/{path.Trim('/')}".TrimEnd('/');

    public static byte[] End(StringBuilder html) => Encoding.UTF8.GetBytes(html.Append("</main>\n</body>\n</html>\n").ToString());

    public static string Text(string text) => HtmlEncoder.Default.Encode(text);

    /// <summary>Whether the application serves the page.</summary>
    public static bool IsServed(HttpContext context) => context.RequestServices.GetService<PageAssets>() is { IsMapped: true };
}
