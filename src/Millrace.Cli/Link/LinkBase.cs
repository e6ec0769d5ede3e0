using Millrace.Cli.Token;

namespace Millrace.Cli.Link;

/// <summary>Where a server's files are, from what the user calls the server.</summary>
internal static class LinkBase
{
    private const string Files = "/files/";

    /// <summary>Adds <c>/files/</c> where no path is given.</summary>
    /// <returns>A URL that ends with a slash.</returns>
    public static string Parse(string text)
    {
        if (!Uri.TryCreate(text, UriKind.Absolute, out Uri? url)
            || (url.Scheme != Uri.UriSchemeHttp && url.Scheme != Uri.UriSchemeHttps)
            || url.Query.Length > 0
            || url.Fragment.Length > 0)
        {
            throw TokenAction.Wrong($"--url '{text}' is no address of a server. Write it as http://host:8080.");
        }

        string path = url.AbsolutePath == "/" ? Files : url.AbsolutePath.TrimEnd('/') + "/";
        return url.GetLeftPart(UriPartial.Authority) + path;
    }
}
