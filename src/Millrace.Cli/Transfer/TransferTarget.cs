using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>
/// A URL that the user gave: where the server has its files, and the file or, with a final slash, the folder that is meant.
/// </summary>
internal sealed record TransferTarget
{
    private const string Example = "For example http://host:8080/files/reports/may.csv";

    private const string Signature = "mr-signature=";

    /// <summary>How the URL of a link to a folder ends, before the secret.</summary>
    private const string SecretQuery = "?mr-link=";

    private readonly string _path;
    private readonly string? _query;

    private TransferTarget(string text, Uri server, string path, string files, string? query)
    {
        Text = text;
        _query = query;
        Server = server;
        _path = path;
        Files = new Uri(server, files.Length == 0 ? "/" : $"/{files}/");
        string rest = path[files.Length..];
        rest = rest.StartsWith('/') ? rest[1..] : rest;
        IsFolder = rest.Length == 0 || rest.EndsWith('/');
        Name = rest.Length == 0 ? default : Decode(text, IsFolder ? rest[..^1] : rest);
        Link = query is null || Name.IsRoot ? null : new TransferLink(Name, query);
    }

    public string Text { get; }

    /// <summary>The secret of the link to a folder that it was, which takes the place of a token; null when it was none.</summary>
    public string? Secret { get; private init; }

    /// <summary>The signed link that it was; null when it was none.</summary>
    public TransferLink? Link { get; }

    public Uri Server { get; }

    public Uri Files { get; }

    /// <summary>The URL without the query of a link.</summary>
    public Uri Url => new(Server, "/" + _path);

    public TransferName Name { get; }

    /// <summary>Whether the URL names a folder: by its final slash, or because it names nothing.</summary>
    public bool IsFolder { get; }

    /// <summary>Reads a URL; its first part is taken as the path of the server's files until the server reports another.</summary>
    public static TransferTarget Parse(string text)
    {
        int mark = text.IndexOf(SecretQuery, StringComparison.Ordinal);
        return mark < 0 ? Parse(text, query: null) : Parse(text[..mark], query: null) with { Secret = text[(mark + SecretQuery.Length)..] };
    }

    public static TransferTarget ParseWithLink(string text)
    {
        int mark = text.IndexOf('?', StringComparison.Ordinal);
        if (mark < 0 || !text.AsSpan(mark).Contains(Signature, StringComparison.Ordinal))
        {
            return Parse(text);
        }

        string shown = text[..mark];
        TransferTarget target;
        try
        {
            target = Parse(shown, text[(mark + 1)..]);
        }
        catch (ArgumentException)
        {
            throw Wrong(shown, "its query is not that of a link", "Give the link as it was printed, in quotes");
        }

        return target.IsFolder
            ? throw Wrong(shown, "a signed link is for one file, and this is a folder", "Give the link as it was printed, in quotes")
            : target;
    }

    public static string WithoutQuery(string text)
    {
        int mark = text.IndexOf('?', StringComparison.Ordinal);
        return mark < 0 ? text : text[..mark] + "?…";
    }

    private static TransferTarget Parse(string text, string? query)
    {
        int scheme = text.IndexOf("://", StringComparison.Ordinal);
        if (scheme < 0 || text[..scheme].ToUpperInvariant() is not ("HTTP" or "HTTPS"))
        {
            throw Wrong(text, "it does not begin with http:// or https://", Example);
        }

        // Not by Uri alone: that would take '..' and double slashes away before they could be refused.
        int authorityAt = scheme + 3;
        int slash = text.IndexOfAny(['/', '?', '#', '\\'], authorityAt);
        string authority = slash < 0 ? text[authorityAt..] : text[authorityAt..slash];
        if (authority.Contains('@', StringComparison.Ordinal))
        {
            throw Wrong(text[..authorityAt] + "…", "it has a user in front of the host", "Give a token by --token-file, or as MILLRACE_TOKEN");
        }

        if (authority.Length == 0
            || !Uri.TryCreate($"{text[..authorityAt]}{authority}/", UriKind.Absolute, out Uri? server)
            || server.AbsolutePath != "/")
        {
            throw Wrong(text, $"'{authority}' is not a host with a port", Example);
        }

        string path = slash < 0 ? "" : text[slash..].TrimStart('/');
        if (slash >= 0 && (text[slash] != '/' || path.AsSpan().ContainsAny('?', '#', '\\')))
        {
            throw Wrong(text, "a file's URL cannot contain '?', '#' or a backslash", "Signed links are for 'millrace get' and 'millrace put'; in a name, '#' is written %23, and a backslash %5C");
        }

        int end = path.IndexOf('/', StringComparison.Ordinal);
        return new TransferTarget(text, server, path, end < 0 ? path : path[..end], query);
    }
    public TransferTarget Below(string files)
    {
        string wanted = files.Trim('/');
        bool isAbove = _path.Length == 0 || (_path.EndsWith('/') && wanted.StartsWith(_path, StringComparison.Ordinal));
        if (isAbove || wanted.Length == 0)
        {
            return new TransferTarget(Text, Server, isAbove ? wanted : _path, wanted, _query) { Secret = Secret };
        }

        if (_path == wanted || _path.StartsWith(wanted + "/", StringComparison.Ordinal))
        {
            return new TransferTarget(Text, Server, _path, wanted, _query) { Secret = Secret };
        }

        throw Wrong(Text, $"the server has its files below '/{wanted}/'", $"Begin with {new Uri(Server, $"/{wanted}/")}");
    }

    public string UrlOf(TransferName name, bool folder = false) =>
        Files.AbsoluteUri + name.ToEncoded() + (folder && !name.IsRoot ? "/" : "");

    private static TransferName Decode(string text, string encoded)
    {
        if (TransferName.TryParseEncoded(encoded, out TransferName name))
        {
            return name;
        }

        try
        {
            // For a name that can be decoded, the exception gives the reason.
            TransferName.Parse(Uri.UnescapeDataString(encoded));
        }
        catch (TransferException exception)
        {
            throw new TransferException(
                TransferError.InvalidName, $"The URL '{text}' cannot be used. {exception.Message}", encoded, exception);
        }

        throw Wrong(
            text, "its percent-encoding is not that of a name", "A '%' itself is written %25, and no name has an encoded slash");
    }

    private static TransferException Wrong(string text, string why, string then) =>
        new(TransferError.InvalidRequest, $"The URL '{WithoutQuery(text)}' cannot be used: {why}. {then}.", WithoutQuery(text));
}
