namespace Millrace.Transfer.Server;

/// <summary>The target of a request.</summary>
/// <param name="Name">The file or folder; <c>default</c> for the root.</param>
/// <param name="IsFolder">Whether the path ends with a slash, and so means a folder.</param>
/// <param name="Path">The whole path as the client wrote it, without the query.</param>
internal readonly record struct FileTarget(TransferName Name, bool IsFolder, string Path)
{
    /// <summary>The last segment of <see cref="Path"/> as one of a URL, for references that are relative to it.</summary>
    public string LastSegment
    {
        get
        {
            ReadOnlySpan<char> path = Path.AsSpan().TrimEnd('/');
            return new PathString($"/{path[(path.LastIndexOf('/') + 1)..]}").ToUriComponent()[1..];
        }
    }

    /// <summary><see cref="Path"/> as a URL: a Destination may have characters that are not escaped, and a response's field may not.</summary>
    public string Location => new PathString(Path).ToUriComponent();

    /// <summary>Reads the target of a request.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>.</exception>
    public static FileTarget Of(HttpContext context) => Of(context, RawTarget.PathOf(context));

    /// <summary>Reads another path that has to be one of the same endpoint.</summary>
    /// <param name="context">The request.</param>
    /// <param name="path">The path as the client wrote it, without a query.</param>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>.</exception>
    public static FileTarget Of(HttpContext context, string path)
    {
        if (!RawTarget.TryCut(path, PrefixOf(context), out string rest))
        {
            throw Outside(path);
        }

        if (rest.Length <= 1)
        {
            return new FileTarget(default, IsFolder: rest == "/", path);
        }

        bool isFolder = rest[^1] == '/';
        string encoded = isFolder ? rest[1..^1] : rest[1..];
        return TransferName.TryParseEncoded(encoded, out TransferName name)
            ? new FileTarget(name, isFolder, path)
            : throw new TransferException(
                TransferError.InvalidName, NameRules.DescribeEncoded(encoded), NameEncoding.Printable(encoded));
    }

    /// <summary>The path of all files as one of a URL, before the slash.</summary>
    public static string HrefPrefixOf(HttpContext context) =>
        PrefixOf(context) is { Length: > 0 } prefix ? new PathString(prefix).ToUriComponent() : "";

    /// <summary>For a path that leads out of the store, or that is not written as a path of the store.</summary>
    public static TransferException Outside(string path) => new(
        TransferError.InvalidName,
        $"The path '{NameEncoding.Printable(path)}' has parts that lead elsewhere. Write the path of the file without '.', '..' and empty parts.",
        NameEncoding.Printable(path));

    /// <summary>The path before the name, with that of route groups, which the endpoint does not know.</summary>
    /// <remarks>A request for an upload, or by gRPC, may name files, too: in the field If.</remarks>
    public static string PrefixOf(HttpContext context)
    {
        if (context.GetEndpoint()?.Metadata.GetMetadata<TransferServerOptions>() is { } elsewhere)
        {
            return context.Request.PathBase.Value + elsewhere.FilesPath.TrimEnd('/');
        }

        // Decoded: a PathString's own text is encoded again.
        string path = context.Request.PathBase.Value + context.Request.Path.Value;
        int segments = context.GetEndpoint() is RouteEndpoint route ? route.RoutePattern.PathSegments.Count - 1 : 0;
        int end = context.Request.PathBase.Value?.Length ?? 0;
        for (int i = 0; i < segments && end < path.Length; i++)
        {
            int slash = path.IndexOf('/', end + 1);
            end = slash < 0 ? path.Length : slash;
        }

        return path[..end];
    }
}
