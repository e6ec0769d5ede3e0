using System.Globalization;
using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>A folder for people, which works without scripts.</summary>
internal static class FolderPage
{
    private static readonly string[] Units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

    /// <summary>The pieces of the page, each when the one before was sent.</summary>
    /// <param name="context">The request.</param>
    /// <param name="listed">The folder listed.</param>
    /// <param name="pages">The pages of the store's listing.</param>
    /// <param name="options">The server's options.</param>
    /// <param name="isServed">Whether it is the beginning of the page for browsers.</param>
    public static async IAsyncEnumerable<ListingPiece> RenderAsync(
        HttpContext context, ListFilesOptions listed, IAsyncEnumerable<(FilePage Page, bool IsLast)> pages,
        TransferServerOptions options, bool isServed)
    {
        string title = listed.Folder.IsRoot ? "Files" : PrintableText.Clean(listed.Folder.FileName);
        StringBuilder html = PageShell.Begin(new StringBuilder(), context, options, title, isServed);
        AppendBreadcrumb(html, listed.Folder);
        html.Append("<h1>").Append(Text(title)).Append("</h1>\n<form action=\"./\" role=\"search\"><input type=\"search\" name=\"search\" maxlength=\"")
            .Append(NameQuery.MaxLength).Append("\" aria-label=\"Names below this folder\" value=\"")
            .Append(Text(context.Request.Query[FolderWalks.SearchQuery].ToString())).Append("\"> <button>Search</button></form>\n");
        int skipped = listed.Folder.IsRoot ? 0 : listed.Folder.Value.Length + 1;
        bool any = false;
        OmittedEntries omitted = default;
        await foreach ((FilePage page, bool isLast) in pages)
        {
            if (!any && page.Entries.Count > 0)
            {
                any = true;
                html.Append("<table>\n<thead><tr><th scope=\"col\">Name</th><th scope=\"col\" class=\"size\">Size</th>")
                    .Append("<th scope=\"col\" class=\"date\">Changed (UTC)</th></tr></thead>\n<tbody>\n");
            }

            foreach (FileEntry entry in page.Entries)
            {
                AppendRow(html, entry, entry.Name.Value[skipped..]);
            }

            omitted += page.Omitted;
            if (isLast)
            {
                AppendEnd(html, context.Request, listed, page.Next, options, any, omitted);
                yield return new ListingPiece(PageShell.End(html), IsLast: true);
            }
            else
            {
                yield return new ListingPiece(Encoding.UTF8.GetBytes(html.ToString()), IsLast: false);
                html.Clear();
            }
        }
    }

    /// <summary>Bytes in a unit in which they have few digits, for example <c>1.4 MiB</c>.</summary>
    public static string Size(long bytes)
    {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < Units.Length - 1)
        {
            value /= 1024;
            unit++;
        }

        string digits = value.ToString(unit == 0 || value >= 100 ? "0" : "0.0", CultureInfo.InvariantCulture);
        return bytes == 1 ? "1 byte" : $"{digits} {Units[unit]}";
    }

    /// <summary>Links upwards are relative, so that they hold behind any proxy.</summary>
    private static void AppendBreadcrumb(StringBuilder html, TransferName folder)
    {
        if (folder.IsRoot)
        {
            return;
        }

        string[] parts = folder.Value.Split('/');
        html.Append("<nav aria-label=\"Folders above\"><ol>");
        for (int i = 0; i < parts.Length; i++)
        {
            string up = string.Concat(Enumerable.Repeat("../", parts.Length - i));
            html.Append("<li><a href=\"").Append(up).Append("\">")
                .Append(i == 0 ? "Files" : Text(parts[i - 1])).Append("</a></li>");
        }

        html.Append("<li aria-current=\"page\">").Append(Text(parts[^1])).Append("</li></ol></nav>\n");
    }

    private static void AppendRow(StringBuilder html, FileEntry entry, string relative)
    {
        string slash = entry.IsFolder ? "/" : "";

        // "./" keeps a first part with a colon or the like from being read as a scheme.
        html.Append("<tr><td><a href=\"./").Append(NameEncoding.Encode(relative)).Append(slash).Append('"')
            .Append(entry.IsFolder ? " class=\"folder\">" : ">")
            .Append(Text(relative)).Append(slash).Append("</a></td><td class=\"size\">");
        if (entry.File is { } file)
        {
            html.Append("<data value=\"").Append(file.Length).Append("\" title=\"").Append(file.Length)
                .Append(" bytes\">").Append(Size(file.Length)).Append("</data>");
        }

        html.Append("</td><td class=\"date\"><time datetime=\"")
            .Append(entry.Modified.ToDateTimeOffset().UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture))
            .Append("\">")
            .Append(entry.Modified.ToDateTimeOffset().UtcDateTime.ToString("yyyy-MM-dd HH:mm", CultureInfo.InvariantCulture))
            .Append("</time></td></tr>\n");
    }

    private static void AppendEnd(
        StringBuilder html, HttpRequest request, ListFilesOptions listed, TransferName next, TransferServerOptions options, bool any, OmittedEntries omitted)
    {
        bool isSearch = request.Query.ContainsKey(FolderWalks.SearchQuery);
        html.Append(any ? "</tbody>\n</table>\n"
            : omitted.Total > 0 ? ""
            : isSearch ? "<p class=\"empty\">No name below this folder has these words.</p>\n"
            : "<p class=\"empty\">Nothing is here.</p>\n");
        if (omitted.Total > 0)
        {
            html.Append("<p class=\"omitted\">").Append(OmittedText.Of(omitted)).Append("</p>\n");
        }

        if (isSearch)
        {
            html.Append("<div class=\"links\"><a href=\"./\">The whole folder</a></div>\n");
            return;
        }

        html.Append("<div class=\"links\">");
        if (!listed.After.IsRoot)
        {
            html.Append("<a href=\"./").Append(Text(Query(request, after: null))).Append("\">First page</a> ");
        }

        if (!next.IsRoot)
        {
            html.Append("<a rel=\"next\" href=\"./").Append(Text(Query(request, next.Value))).Append("\">Next page</a> ");
        }

        if (options.Archives && any)
        {
            // No links: a program that follows links would get every file once more in the archives of each folder above it.
            html.Append("<form action=\"./\"><button name=\"archive\" value=\"zip\">All as zip</button> ")
                .Append("<button name=\"archive\" value=\"tar\">All as tar</button></form>");
        }

        html.Append("</div>\n");
    }

    /// <summary>The request's own query, at another place in the listing.</summary>
    private static string Query(HttpRequest request, string? after)
    {
        QueryString query = QueryString.Empty;
        foreach (string key in (ReadOnlySpan<string>)["prefix", "recursive", "limit"])
        {
            if (request.Query[key] is [{ } value])
            {
                query = query.Add(key, value);
            }
        }

        return (after is null ? query : query.Add("after", after)).ToString();
    }

    /// <summary>No name is shown as another one: see <see cref="PrintableText"/>.</summary>
    private static string Text(string text) => PageShell.Text(PrintableText.Clean(text));
}
