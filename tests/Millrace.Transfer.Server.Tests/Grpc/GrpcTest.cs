using System.Net.Http.Headers;
using Google.Protobuf;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>A test class whose every test has a server, called with bytes put together by hand.</summary>
public abstract class GrpcTest : IAsyncLifetime
{
    private ServedFolder? _server;

    internal ServedFolder Server => _server!;

    protected HttpClient Http2 { get; } = new(new SocketsHttpHandler()) { Timeout = TimeSpan.FromMinutes(5) };

    public async Task InitializeAsync() => await ServeAsync();

    public async Task DisposeAsync()
    {
        Http2.Dispose();
        await Server.DisposeAsync();
    }

    /// <summary>Restarts the server with other options.</summary>
    protected async Task ServeAsync(
        Action<GrpcServerOptions>? grpc = null, Action<TransferHostOptions>? host = null)
    {
        if (_server is { } old)
        {
            await old.DisposeAsync();
        }

        _server = await ServedFolder.StartAsync(options =>
        {
            options.OfferHttp2Port = true;
            options.Http2Port = 0;
            grpc?.Invoke(options.Endpoints.Grpc);
            host?.Invoke(options);
        });
    }

    protected string PathOf(string name) => Server.PathOf(name);

    protected void Put(string name, byte[] content) => Server.WriteAsync(name, content).GetAwaiter().GetResult();

    /// <summary>Bytes of an upload that have reached the store.</summary>
    protected long ReceivedBytesOf(string upload) => new FileInfo(DataPathOf(upload)).Length;

    /// <summary>The file with the received bytes.</summary>
    protected string DataPathOf(string upload) =>
        Path.Combine(Server.Folder, NameRules.HiddenFolder, "uploads", upload, "data");

    /// <summary>Unpublished files: the leftovers of uploads.</summary>
    protected IReadOnlyList<string> Leftovers() => Server.Leftovers();

    internal static GrpcForm FormOf(string name) => name switch
    {
        "grpc" => GrpcForm.Http2,
        "grpc-web" => GrpcForm.Web,
        _ => GrpcForm.WebText,
    };

    /// <summary>A request with these bytes as its body.</summary>
    internal HttpRequestMessage Request(
        GrpcForm form, string method, HttpContent content, params (string Name, string Value)[] fields)
    {
        string path = method.Contains('/') ? method : $"/millrace.v1.FileTransfer/{method}";
        var request = new HttpRequestMessage(
            HttpMethod.Post, new Uri(form == GrpcForm.Http2 ? Server.Server.Http2Address! : Server.Server.Address, path))
        {
            Version = form == GrpcForm.Http2 ? HttpVersion.Version20 : HttpVersion.Version11,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = content,
        };
        content.Headers.ContentType ??= new MediaTypeHeaderValue(form switch
        {
            GrpcForm.Http2 => "application/grpc",
            GrpcForm.Web => "application/grpc-web+proto",
            _ => "application/grpc-web-text",
        });
        foreach ((string name, string value) in fields)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value));
        }

        return request;
    }

    internal HttpRequestMessage Request(
        GrpcForm form, string method, byte[] body, params (string Name, string Value)[] fields) =>
        Request(form, method, new ByteArrayContent(Encoded(form, body)), fields);

    /// <summary>The bytes as a form of a call sends them.</summary>
    internal static byte[] Encoded(GrpcForm form, byte[] body) =>
        form == GrpcForm.WebText ? Encoding.ASCII.GetBytes(Convert.ToBase64String(body)) : body;

    internal Task<GrpcReply> CallAsync(
        GrpcForm form, string method, byte[] body, params (string Name, string Value)[] fields) =>
        SendAsync(form, Request(form, method, body, fields));

    internal Task<GrpcReply> CallAsync(string form, string method, byte[] body, params (string Name, string Value)[] fields) =>
        CallAsync(FormOf(form), method, body, fields);

    internal Task<GrpcReply> CallAsync(string method, byte[] body, params (string Name, string Value)[] fields) =>
        CallAsync(GrpcForm.Http2, method, body, fields);

    internal Task<GrpcReply> CallAsync(string method, IMessage message, params (string Name, string Value)[] fields) =>
        CallAsync(GrpcForm.Http2, method, Frames.Of(message), fields);

    internal async Task<GrpcReply> SendAsync(GrpcForm form, HttpRequestMessage request)
    {
        using HttpRequestMessage sent = request;
        using HttpResponseMessage response = await Http2.SendAsync(sent);
        return await GrpcReply.ReadAsync(response, form);
    }
}
