using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace Millrace.Transfer;

/// <content>Asks for the server's protocols, and chooses one.</content>
public sealed partial class TransferClient
{
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

    /// <summary>Asks for the server's protocols, once.</summary>
    /// <remarks>
    /// A server that does not answer gets <see cref="ServerDescription.Version"/> 0 and offers <c>http1</c> alone: files are
    /// uploaded with one request each, and only a source that can be read again can be retried.
    /// </remarks>
    internal ValueTask<ServerDescription> DescribeAsync(CancellationToken cancellationToken = default)
    {
        return _description is { } known ? ValueTask.FromResult(known) : AskAsync();

        async ValueTask<ServerDescription> AskAsync() => await _retry.RunAsync(
            async (_, token) => _description ??= await AskOnceAsync(token).ConfigureAwait(false), cancellationToken)
            .ConfigureAwait(false);
    }

    /// <summary>The state that transfers share; made once the server's protocols are known.</summary>
    private async ValueTask<TransferContext> ContextAsync(CancellationToken cancellationToken)
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

            return _context ??= new TransferContext(Options, _clock, _retry, protocol)
            {
                Sizes = _sizes,
                Parts = protocol is HttpProtocolClient ? ProtocolChoice.MakeParts(description, Setup(description)) : null,
            };
        }
    }

    private ProtocolSetup Setup(ServerDescription description) => new()
    {
        Kind = TransferProtocol.Http1,
        Client = _client,
        Options = Options,
        Clock = _clock,
        Files = Files,
        Uploads = UploadsOf(description),
        Sizes = _sizes,
    };

    private Uri FilesOf(ServerDescription description) =>
        ServerAddress.Resolve(Files, $"{description.Files.TrimEnd('/')}/", "the place of its files", Describing);

    private Uri? UploadsOf(ServerDescription description) => description.Uploads is { } uploads
        ? ServerAddress.Resolve(Files, $"{uploads.TrimEnd('/')}/", "the place of uploads", Describing)
        : null;

    private ProtocolCall Describing => new("Asking for the protocols of", Files.Authority, TransferProtocol.Auto);

    private async Task<ServerDescription> AskOnceAsync(CancellationToken cancellationToken)
    {
        if (Options.Protocol != TransferProtocol.Grpc)
        {
            return await AskOnceAsync(HttpVersion.Version11, cancellationToken).ConfigureAwait(false) ?? Undescribed();
        }

        try
        {
            if (await AskOnceAsync(HttpVersion.Version11, cancellationToken).ConfigureAwait(false) is { } described)
            {
                return described;
            }
        }
        catch (TransferException exception) when (exception.InnerException is HttpRequestException inner && MaySpeakHttp2(inner))
        {
            // A server that only supports HTTP/2 ends a connection that begins otherwise.
        }

        // The address leads to where gRPC is spoken, whatever port the server itself would name.
        ServerDescription known = await AskOnceAsync(HttpVersion.Version20, cancellationToken).ConfigureAwait(false) ?? Undescribed();
        known.Protocols =
            [.. known.Protocols.Where(protocol => ProtocolNames.Parse(protocol.Name) != TransferProtocol.Grpc), Here(TransferProtocol.Grpc)];
        return known;
    }

    /// <returns>Null when it does not describe itself.</returns>
    private async Task<ServerDescription?> AskOnceAsync(Version version, CancellationToken cancellationToken)
    {
        ProtocolCall call = Describing;
        using var watch = new IdleWatch(Options.IdleTimeout, _clock, cancellationToken);
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(Files, ServerDescription.Path))
        {
            Version = version,
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
                description.Protocols = [.. description.Protocols.Where(IsUsable)];
                _ = FilesOf(description);
                _ = UploadsOf(description);
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
