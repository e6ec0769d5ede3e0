using System.Net;
using System.Net.Http.Headers;
using Google.Protobuf;

namespace Millrace.Transfer;

/// <summary>gRPC over HTTP/2, and gRPC-Web over HTTP/1.1, which has no streams of requests: uploads go in parts there.</summary>
internal sealed partial class GrpcProtocolClient : Protocol
{
    private const string Proto = "+proto";

    private static readonly string UserAgent =
        $"grpc-dotnet-millrace/{typeof(GrpcProtocolClient).Assembly.GetName().Version?.ToString(3)}";

    private readonly ProtocolSetup _setup;
    private readonly Uri _service;
    private readonly Uri _uploads;
    private readonly string _contentType;
    private readonly AuthenticationHeaderValue? _token;

    public GrpcProtocolClient(ProtocolSetup setup)
    {
        _setup = setup;
        _service = new Uri(setup.Root ?? new Uri(setup.Files, "/"), $"{GrpcFields.Service}/");
        _uploads = setup.Uploads ?? _service;
        _contentType = setup.Kind switch
        {
            TransferProtocol.Grpc => GrpcFields.ContentType,
            TransferProtocol.GrpcWeb => GrpcFields.WebContentType,
            _ => GrpcFields.WebTextContentType,
        } + Proto;
        _token = setup.Options.Token is { Length: > 0 } token ? new AuthenticationHeaderValue("Bearer", token) : null;
    }

    public override TransferProtocol Kind => _setup.Kind;

    private bool IsWeb => Kind != TransferProtocol.Grpc;

    private ProtocolCall Call(string verb, TransferName name) => new(verb, name.IsRoot ? "/" : name.Value, Kind);

    /// <summary>A call with one message each way.</summary>
    private async Task<T> AskAsync<T>(string method, IMessage message, MessageParser<T> parser, ProtocolCall call, IdleWatch watch)
        where T : class, IMessage<T>
    {
        using var exchange = new GrpcExchange(_setup, call, watch);
        try
        {
            GrpcInput input = await SendAsync(exchange, method, message).ConfigureAwait(false);
            return await GrpcMessages.ReadOnlyOneAsync(exchange, input, parser).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not TransferException)
        {
            throw exchange.Translate(exception);
        }
    }

    private async Task<GrpcInput> SendAsync(GrpcExchange exchange, string method, IMessage message)
    {
        byte[] frame = GrpcMessages.Frame(message);
        using HttpRequestMessage request = Request(
            method,
            new ByteArrayContent(
                Kind == TransferProtocol.GrpcWebText ? System.Text.Encoding.ASCII.GetBytes(Convert.ToBase64String(frame)) : frame));
        return await exchange.SendAsync(request).ConfigureAwait(false);
    }

    private HttpRequestMessage Request(string method, HttpContent content)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, new Uri(_service, method))
        {
            Version = IsWeb ? HttpVersion.Version11 : HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = content,
        };
        request.Headers.Authorization = _token;
        Add(request, "User-Agent", UserAgent);
        Add(request, GrpcFields.AcceptEncoding, $"{GrpcFields.Identity},{GrpcFields.Gzip}");
        if (_setup.Options.Compression == TransferCompression.Gzip)
        {
            Add(request, GrpcFields.Encoding, GrpcFields.Gzip);
        }

        if (_setup.Options.CallTimeout is { } timeout)
        {
            Add(request, GrpcFields.Timeout, GrpcTimeout.Format(timeout));
        }

        if (IsWeb)
        {
            Add(request, "X-Grpc-Web", "1");
            Add(request, "Accept", _contentType);
        }
        else
        {
            Add(request, "TE", "trailers");
        }

        content.Headers.TryAddWithoutValidation("Content-Type", _contentType);
        return request;
    }

    private static void Add(HttpRequestMessage request, string name, string value) =>
        request.Headers.TryAddWithoutValidation(name, value);

    /// <summary>A link is a URL, and calls have no URL.</summary>
    private void ThrowIfLinked(TransferName name, ProtocolCall call)
    {
        if (_setup.Options.Link?.Name == name)
        {
            throw Failures.Make(TransferError.InvalidRequest, call, "a signed link is for HTTP. Use http1 or http2.");
        }
    }
}
