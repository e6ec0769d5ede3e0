using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace Millrace.Transfer;

/// <content>Asks for the server's protocols, and chooses one.</content>
public sealed partial class TransferClient
{
    /// <summary>Segments of a URL below which a server is looked for.</summary>
    private const int MaxDepth = 4;

    private readonly Lock _lock = new();
    private TransferContext? _context;
    private ServerDescription? _description;

    /// <summary>Asks the server where its files are, once.</summary>
    /// <remarks>
    /// The client sends its requests to <see cref="Files"/> in any case: create another client where this is another address.
    /// </remarks>
    /// <returns>The address; <see cref="Files"/> if the server does not describe itself.</returns>
    /// <exception cref="TransferException">The server cannot be reached.</exception>
    public async ValueTask<Uri> FindFilesAsync(CancellationToken cancellationToken = default)
    {
        ServerDescription description = await DescribeAsync(cancellationToken).ConfigureAwait(false);
        return FilesOf(description);
    }

    /// <summary>Asks where the files are that a URL is about: at the root of its host, then in each folder of the URL.</summary>
    /// <param name="url">The URL of a file or, with a final slash, of a folder, on the same host.</param>
    /// <param name="cancellationToken">Cancels the requests.</param>
    /// <remarks>For servers below a path, such as <c>https://host/share/files/may.csv</c>, of which only such a URL is known.</remarks>
    /// <returns>The address; <see cref="Files"/> if no server describes itself there.</returns>
    /// <exception cref="TransferException">The server cannot be reached.</exception>
    public async ValueTask<Uri> FindFilesAsync(Uri url, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(url);
        if (_description is { } known && IsOf(known, url))
        {
            return FilesOf(known);
        }

        ServerDescription description = await _retry.RunAsync(
            async (_, token) => await AskOnceAsync(url, token).ConfigureAwait(false), cancellationToken).ConfigureAwait(false);
        _description ??= description;
        return FilesOf(description);
    }

    /// <summary>Asks for the server's protocols, once.</summary>
    /// <remarks>
    /// A server that does not answer gets <see cref="ServerDescription.Version"/> 0 and offers <c>http1</c> alone: files are
    /// uploaded with one request each, and only a source that can be read again can be retried.
    /// </remarks>
    internal ValueTask<ServerDescription> DescribeAsync(CancellationToken cancellationToken = default)
    {
        return _description is { } known ? ValueTask.FromResult(known) : AskAsync();

        async ValueTask<ServerDescription> AskAsync() => await _retry.RunAsync(
            async (_, token) => _description ??= await AskOnceAsync(new Uri(Files, ".."), token).ConfigureAwait(false), cancellationToken)
            .ConfigureAwait(false);
    }

    /// <summary>The state that transfers share; made once the server's protocols are known.</summary>
    internal async ValueTask<TransferContext> ContextAsync(CancellationToken cancellationToken)
    {
        if (_context is { } made)
        {
            return made;
        }

        ServerDescription description = await DescribeAsync(cancellationToken).ConfigureAwait(false);
        lock (_lock)
        {
            Protocol protocol = ProtocolChoice.Make(Options.Protocol, description, Setup(description));
            if (_context is null && description.MaxRequestBytes is { } most)
            {
                _sizes.Announce(most);
            }

            if (_context is null)
            {
                var context = new TransferContext(Options, _clock, _retry, protocol)
                {
                    Sizes = _sizes,
                    TakesHoles = description.Holes && Options.Link is null,
                    Parts = protocol is HttpProtocolClient ? ProtocolChoice.MakeParts(description, Setup(description)) : null,
                };
                context.Batches = BatchUploads.Make(context, description);
                context.Downloads = BatchDownloads.Make(context, description);
                _context = context;
            }

            return _context;
        }
    }

    private ProtocolSetup Setup(ServerDescription description) => new()
    {
        Kind = TransferProtocol.Http1,
        Client = _client,
        Options = Options,
        Clock = _clock,
        Files = Files,
        Root = RootOf(description),
        IsDescribed = description.Version > 0,
        Trash = TrashOf(description),
        Uploads = UploadsOf(description),
        Sizes = _sizes,
    };

    private Uri FilesOf(ServerDescription description) =>
        ServerAddress.Resolve(Files, $"{description.Files.TrimEnd('/')}/", "the place of its files", Describing);

    private Uri? RootOf(ServerDescription description) => description.Root is { } root
        ? ServerAddress.Resolve(Files, $"{root.TrimEnd('/')}/", "the place of its calls", Describing)
        : null;

    private Uri? TrashOf(ServerDescription description) => description.Trash is { } trash
        ? ServerAddress.Resolve(Files, trash.TrimEnd('/'), "the place of the trash", Describing)
        : null;

    private Uri? UploadsOf(ServerDescription description) => description.Uploads is { } uploads
        ? ServerAddress.Resolve(Files, $"{uploads.TrimEnd('/')}/", "the place of uploads", Describing)
        : null;

    private ProtocolCall Describing => new("Asking for the protocols of", Files.Authority, TransferProtocol.Auto);

    private async Task<ServerDescription> AskOnceAsync(Uri url, CancellationToken cancellationToken)
    {
        if (Options.Protocol != TransferProtocol.Grpc)
        {
            return await SearchAsync(url, HttpVersion.Version11, cancellationToken).ConfigureAwait(false) ?? Undescribed();
        }

        try
        {
            if (await SearchAsync(url, HttpVersion.Version11, cancellationToken).ConfigureAwait(false) is { } described)
            {
                return described;
            }
        }
        catch (TransferException exception) when (exception.InnerException is HttpRequestException inner && MaySpeakHttp2(inner))
        {
            // A server that only supports HTTP/2 ends a connection that begins otherwise.
        }

        // The address leads to where gRPC is spoken, whatever port the server itself would name.
        ServerDescription known = await SearchAsync(url, HttpVersion.Version20, cancellationToken).ConfigureAwait(false) ?? Undescribed();
        known.Protocols =
            [.. known.Protocols.Where(protocol => ProtocolNames.Parse(protocol.Name) != TransferProtocol.Grpc), Here(TransferProtocol.Grpc)];
        return known;
    }

    /// <summary>
    /// Looks at the root of the host, and where another server is there, in the folders of a URL. The root may refuse a request that a server
    /// below it allows.
    /// </summary>
    /// <returns>The description of the server whose files the URL is about; otherwise the first one; null without any.</returns>
    private async Task<ServerDescription?> SearchAsync(Uri url, Version version, CancellationToken cancellationToken)
    {
        ServerDescription? other = null;
        TransferException? refusal = null;
        string path = url.AbsolutePath;
        int end = 0;
        for (int depth = 0; end >= 0 && depth <= MaxDepth; depth++, end = path.IndexOf('/', end + 1))
        {
            try
            {
                var place = new Uri(Files, path[..end] + ServerDescription.Path);
                if (await AskOnceAsync(place, version, cancellationToken).ConfigureAwait(false) is not { } found)
                {
                    continue;
                }

                if (IsOf(found, url))
                {
                    return found;
                }

                other ??= found;
            }
            catch (TransferException exception) when (exception is { Status: >= 400 and < 500, IsTransient: false })
            {
                refusal ??= exception;
            }
        }

        return other is null && refusal is not null ? throw refusal : other;
    }

    /// <summary>Whether a URL is in a server's files, or above them.</summary>
    private bool IsOf(ServerDescription description, Uri url)
    {
        string files = FilesOf(description).AbsolutePath;
        string path = url.AbsolutePath;
        return path.StartsWith(files, StringComparison.Ordinal) || files.StartsWith(path.TrimEnd('/') + "/", StringComparison.Ordinal);
    }

    /// <returns>Null when it does not describe itself.</returns>
    private async Task<ServerDescription?> AskOnceAsync(Uri place, Version version, CancellationToken cancellationToken)
    {
        ProtocolCall call = Describing;
        bool choosesVersion = version == HttpVersion.Version11 && place.Scheme == Uri.UriSchemeHttps
            && Options.Protocol is TransferProtocol.Auto or TransferProtocol.Http2;
        using var watch = new IdleWatch(Options.IdleTimeout, _clock, cancellationToken);
        using var request = new HttpRequestMessage(HttpMethod.Get, place)
        {
            Version = choosesVersion ? HttpVersion.Version20 : version,
            VersionPolicy = version == HttpVersion.Version20 ? HttpVersionPolicy.RequestVersionExact : HttpVersionPolicy.RequestVersionOrLower,
        };
        try
        {
            using HttpResponseMessage response = await _client
                .SendAsync(request, HttpCompletionOption.ResponseHeadersRead, watch.Token).ConfigureAwait(false);
            if (IsUndescribed(response.StatusCode))
            {
                return null;
            }

            if (!response.IsSuccessStatusCode)
            {
                throw await Failures.ReadAsync(response, call, _clock, watch.Token).ConfigureAwait(false);
            }

            ServerDescription? description = await BoundedJson.ReadAsync(
                response, BoundedJson.MaxDocument, TransferJson.Default.ServerDescription, watch.Token).ConfigureAwait(false);
            if (description is not null)
            {
                // Below the root, it may be a file that a client has stored there: then it must not lead the token to another port.
                bool isRoot = place.AbsolutePath == ServerDescription.Path;
                description.Protocols =
                [
                    .. description.Protocols.Where(protocol =>
                        IsUsable(protocol) && (isRoot || (protocol.Port == place.Port && protocol.Scheme == place.Scheme))),
                ];
                if (choosesVersion)
                {
                    // A proxy in front of the server speaks the version that it has chosen here, whatever the server speaks.
                    description.Protocols = [.. description.Protocols.Where(protocol => ProtocolNames.Parse(protocol.Name) != TransferProtocol.Http2)];
                    if (response.Version.Major == HttpVersion.Version20.Major)
                    {
                        description.Protocols = [.. description.Protocols, Here(TransferProtocol.Http2)];
                    }
                }

                _ = FilesOf(description);
                _ = UploadsOf(description);
                _ = RootOf(description);
            }

            return description;
        }
        catch (JsonException)
        {
            // A page that a server has for every address.
            return null;
        }
        catch (Exception exception) when (exception is not TransferException)
        {
            throw Failures.Translate(exception, call, watch);
        }
    }

    /// <summary>Servers that know nothing but calls of gRPC refuse anything else in their own ways.</summary>
    private bool IsUndescribed(HttpStatusCode status) =>
        status is HttpStatusCode.NotFound or HttpStatusCode.MethodNotAllowed or HttpStatusCode.NotImplemented
        || (IsGrpc(Options.Protocol) && (int)status is >= 400 and < 500
            && status is not (HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden or HttpStatusCode.TooManyRequests));

    private static bool IsUsable(ProtocolDescription? protocol) => protocol is
    {
        Name: not null,
        Scheme: "http" or "https",
        Port: > 0 and <= ushort.MaxValue,
    };

    private static bool MaySpeakHttp2(HttpRequestException exception) =>
        exception.HttpRequestError is HttpRequestError.InvalidResponse or HttpRequestError.ResponseEnded or HttpRequestError.HttpProtocolError
        || exception.InnerException is IOException { InnerException: SocketException { SocketErrorCode: SocketError.ConnectionReset } };

    private static bool IsGrpc(TransferProtocol protocol) =>
        protocol is TransferProtocol.Grpc or TransferProtocol.GrpcWeb or TransferProtocol.GrpcWebText;

    private ServerDescription Undescribed() => new()
    {
        Version = 0,
        Files = Files.AbsolutePath,
        Protocols = IsGrpc(Options.Protocol) ? [Here(TransferProtocol.Http1), Here(Options.Protocol)] : [Here(TransferProtocol.Http1)],
    };

    private ProtocolDescription Here(TransferProtocol protocol) => new(ProtocolNames.Of(protocol), Files.Scheme, Files.Port);
}
