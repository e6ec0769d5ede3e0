using Grpc.Core;
using Grpc.Net.Client;
using Grpc.Net.Client.Web;
using Grpc.Net.Compression;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>A library at one end of a row over gRPC.</summary>
internal enum GrpcLibrary
{
    /// <summary>Grpc.Net.Client; Grpc.AspNetCore.Server.</summary>
    Net,

    /// <summary>Grpc.Net.Client.Web, binary or in base64; Grpc.AspNetCore.Web.</summary>
    Web,
    WebText,

    /// <summary>Grpc.Core: C# over the C core.</summary>
    Core,
}

/// <param name="IsRented">Whether a message's array is rented, at both ends; otherwise each is a new one.</param>
internal sealed record GrpcPeers(GrpcLibrary Client, GrpcLibrary Server, bool IsRented)
{
    // Of Grpc.Core, the native library loads with the first channel.
    private static readonly Lazy<string?> WhyNotCore = new(() =>
    {
        try
        {
            new Channel("localhost:1", ChannelCredentials.Insecure).ShutdownAsync().GetAwaiter().GetResult();
            return null;
        }
        catch (Exception exception) when (exception is IOException or DllNotFoundException or BadImageFormatException or EntryPointNotFoundException
            or InvalidOperationException or MissingMethodException or NotSupportedException or PlatformNotSupportedException or TypeInitializationException)
        {
            return $"the native library of Grpc.Core is not available: {exception.GetBaseException().Message}";
        }
    });

    public bool UsesCore => Client == GrpcLibrary.Core || Server == GrpcLibrary.Core;

    /// <summary>Why the libraries do not run on this machine; null when they do.</summary>
    public string? WhyNot => UsesCore ? WhyNotCore.Value : null;
}

/// <summary>
/// The service of the rows over others' libraries of gRPC. Files are opened, read and written as by the row HttpClient; each buffer is
/// one message.
/// </summary>
internal static class GrpcFiles
{
    private const string Service = "millrace.lab.Files";
    private const string NameKey = "name";
    private const string BufferKey = "buffer";
    private const string CodingKey = "coding";

    // All libraries compress the messages of a call, and of a response, whose headers have this key; they do not send it.
    private const string EncodingKey = "grpc-internal-encoding-request";

    public static ICompressionProvider Gzip { get; } = new GzipCompressionProvider(System.IO.Compression.CompressionLevel.Fastest);

    public static Method<ArrayMessage, ArrayMessage> Download(bool isRented) => Method(MethodType.ServerStreaming, nameof(Download), isRented);

    public static Method<ArrayMessage, ArrayMessage> Upload(bool isRented) => Method(MethodType.ClientStreaming, nameof(Upload), isRented);

    public static ServerServiceDefinition Serve(string folder)
    {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.CreateBuilder();
        foreach (bool isRented in new[] { false, true })
        {
            service.AddMethod(Download(isRented), async (request, responses, context) =>
            {
                request.Dispose();
                if (context.RequestHeaders.GetValue(CodingKey) == PlainCopy.Gzip)
                {
                    await context.WriteResponseHeadersAsync(new Metadata { { EncodingKey, PlainCopy.Gzip } }).ConfigureAwait(false);
                }

                await SendAsync(PathIn(folder, context), responses, BufferOf(context), isRented).ConfigureAwait(false);
            });
            service.AddMethod(Upload(isRented), async (IAsyncStreamReader<ArrayMessage> requests, ServerCallContext context) =>
            {
                await ReceiveAsync(requests, PathIn(folder, context), BufferOf(context)).ConfigureAwait(false);
                return new ArrayMessage(0, isRented: false);
            });
        }

        return service.Build();
    }

    public static CallOptions Options(string name, int buffer, bool withGzip)
    {
        var headers = new Metadata { { NameKey, name }, { BufferKey, buffer.ToString(CultureInfo.InvariantCulture) } };
        if (withGzip)
        {
            headers.Add(CodingKey, PlainCopy.Gzip);
            headers.Add(EncodingKey, PlainCopy.Gzip);
        }

        return new CallOptions(headers);
    }

    public static async Task SendAsync(string path, IAsyncStreamWriter<ArrayMessage> to, int buffer, bool isRented)
    {
        FileStream file = PlainCopy.OpenRead(path, buffer);
        await using (file.ConfigureAwait(false))
        {
            while (true)
            {
                using var message = new ArrayMessage(buffer, isRented);
                message.Length = await file.ReadAsync(message.Memory).ConfigureAwait(false);
                if (message.Length == 0)
                {
                    return;
                }

                await to.WriteAsync(message).ConfigureAwait(false);
            }
        }
    }

    public static async Task ReceiveAsync(IAsyncStreamReader<ArrayMessage> from, string path, int buffer)
    {
        FileStream file = PlainCopy.Create(path, buffer);
        await using (file.ConfigureAwait(false))
        {
            while (await from.MoveNext(CancellationToken.None).ConfigureAwait(false))
            {
                using ArrayMessage message = from.Current;
                await file.WriteAsync(message.Memory).ConfigureAwait(false);
            }
        }
    }

    private static Method<ArrayMessage, ArrayMessage> Method(MethodType type, string name, bool isRented)
    {
        Marshaller<ArrayMessage> marshaller = ArrayMessage.Marshaller(isRented);
        return new(type, Service, name + (isRented ? "RentedArray" : "ByteArray"), marshaller, marshaller);
    }

    // Only the laboratory sends requests, on loopback, with names that it chose.
    private static string PathIn(string folder, ServerCallContext context) =>
        Path.Combine(folder, Path.GetFileName(context.RequestHeaders.GetValue(NameKey)!));

    private static int BufferOf(ServerCallContext context) =>
        int.Parse(context.RequestHeaders.GetValue(BufferKey)!, CultureInfo.InvariantCulture);
}

/// <summary>The client's end of the rows over others' libraries of gRPC. Its connection stays open between transfers.</summary>
internal sealed class GrpcFilesClient(GrpcPeers peers, string server, int buffer, bool withGzip) : IAsyncDisposable
{
    private readonly ChannelBase _channel = Connect(peers.Client, server);

    public async Task DownloadAsync(TestFile file, string path)
    {
        using AsyncServerStreamingCall<ArrayMessage> call = _channel.CreateCallInvoker().AsyncServerStreamingCall(
            GrpcFiles.Download(peers.IsRented), null, GrpcFiles.Options(Path.GetFileName(file.Path), buffer, withGzip), new ArrayMessage(0, isRented: false));
        await GrpcFiles.ReceiveAsync(call.ResponseStream, path, buffer).ConfigureAwait(false);
    }

    public async Task UploadAsync(TestFile file, string name)
    {
        using AsyncClientStreamingCall<ArrayMessage, ArrayMessage> call = _channel.CreateCallInvoker().AsyncClientStreamingCall(
            GrpcFiles.Upload(peers.IsRented), null, GrpcFiles.Options(name, buffer, withGzip));
        await GrpcFiles.SendAsync(file.Path, call.RequestStream, buffer, peers.IsRented).ConfigureAwait(false);
        await call.RequestStream.CompleteAsync().ConfigureAwait(false);
        (await call.ResponseAsync.ConfigureAwait(false)).Dispose();
    }

    // Not synchronous: on a thread of Grpc.Core, on which a caller continues after a stream, waiting for the channel's end stops that end.
    public async ValueTask DisposeAsync()
    {
        await _channel.ShutdownAsync().ConfigureAwait(false);
        (_channel as IDisposable)?.Dispose();
    }

    private static ChannelBase Connect(GrpcLibrary library, string server)
    {
        if (library == GrpcLibrary.Core)
        {
            return new Channel(server, ChannelCredentials.Insecure, [new ChannelOption("grpc.enable_http_proxy", 0)]);
        }

        HttpMessageHandler handler = new SocketsHttpHandler { UseProxy = false };
        if (library != GrpcLibrary.Net)
        {
            handler = new GrpcWebHandler(library == GrpcLibrary.Web ? GrpcWebMode.GrpcWeb : GrpcWebMode.GrpcWebText, handler);
        }

        return GrpcChannel.ForAddress($"http://{server}", new GrpcChannelOptions
        {
            HttpHandler = handler,
            DisposeHttpClient = true,
            HttpVersion = library == GrpcLibrary.Net ? HttpVersion.Version20 : HttpVersion.Version11,
            CompressionProviders = [GrpcFiles.Gzip],
        });
    }
}
