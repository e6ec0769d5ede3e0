using System.Collections.Concurrent;
using System.Net;
using System.Security.Cryptography;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Tests.Peer;

/// <summary>A server with Grpc.AspNetCore and Grpc.AspNetCore.Web, which keeps files in memory.</summary>
public sealed class GrpcDotNetServer : IAsyncDisposable
{
    private readonly WebApplication _application;

    private GrpcDotNetServer(WebApplication application) => _application = application;

    /// <summary>The uploaded files, by name.</summary>
    public ConcurrentDictionary<string, byte[]> Files => _application.Services.GetRequiredService<Stored>().Files;

    public Uri Address => new(_application.Urls.Single());

    /// <summary>Starts it.</summary>
    /// <param name="isStrict">Whether the text of a request must be one base64 text, as proxies such as Envoy require.</param>
    /// <param name="hasUploads">Whether uploads can be started and sent in parts.</param>
    public static async Task<GrpcDotNetServer> StartAsync(bool isStrict = false, bool hasUploads = true)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddGrpc(static options => options.EnableDetailedErrors = true);
        builder.Services.AddSingleton(new Stored(hasUploads));
        builder.WebHost.ConfigureKestrel(static kestrel =>
        {
            // A disk that is busy for seconds is no fault of the client under test.
            kestrel.Limits.MinRequestBodyDataRate = null;
            kestrel.Limits.MinResponseDataRate = null;
            kestrel.Listen(IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http1);
        });
        WebApplication application = builder.Build();
        if (isStrict)
        {
            application.Use(DecodeAsync);
        }

        application.UseGrpcWeb(new GrpcWebOptions { DefaultEnabled = true });
        application.MapGrpcService<Service>();
        await application.StartAsync();
        return new GrpcDotNetServer(application);
    }

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    /// <summary>Decodes the text of a request before Grpc.AspNetCore.Web does, as one text.</summary>
    private static async Task DecodeAsync(HttpContext context, RequestDelegate next)
    {
        const string Text = "application/grpc-web-text";
        if (context.Request.ContentType?.StartsWith(Text, StringComparison.Ordinal) == true)
        {
            using var reader = new StreamReader(context.Request.Body);
            context.Request.Body = new MemoryStream(Convert.FromBase64String(await reader.ReadToEndAsync()));
            context.Request.ContentType = "application/grpc-web" + context.Request.ContentType[Text.Length..];
        }

        await next(context);
    }

    private sealed class Stored(bool hasUploads)
    {
        public bool HasUploads => hasUploads;

        public ConcurrentDictionary<string, byte[]> Files { get; } = [];
    }

    /// <summary>Downloads, and uploads by one call and by parts. The upload of a file has its name.</summary>
    private sealed class Service(Stored stored) : FileTransfer.FileTransferBase
    {
        public override async Task Download(DownloadRequest request, IServerStreamWriter<Chunk> responseStream, ServerCallContext context)
        {
            byte[] content = stored.Files[request.Name];
            FileVersion file = Publish(request.Name, content).File;
            // A client for which the answer takes long asks for ranges, over several connections.
            file.Offset = request.Offset;
            file.Count = Math.Min(content.Length - request.Offset, request.HasCount ? request.Count : long.MaxValue);
            await responseStream.WriteAsync(new Chunk { File = file });
            foreach (byte[] piece in content.Skip((int)file.Offset).Take((int)file.Count).Chunk(request.ChunkBytes))
            {
                await responseStream.WriteAsync(new Chunk { Data = ByteString.CopyFrom(piece) });
            }

            await responseStream.WriteAsync(new Chunk { End = new End { Length = file.Count } });
        }

        public override async Task<UploadStatus> Upload(IAsyncStreamReader<Chunk> requestStream, ServerCallContext context)
        {
            string name = "";
            var content = new MemoryStream();
            await foreach (Chunk chunk in requestStream.ReadAllAsync())
            {
                name = chunk.Upload?.Name ?? name;
                chunk.Data.WriteTo(content);
            }

            return Publish(name, content.ToArray());
        }

        public override Task<UploadStatus> StartUpload(StartUploadRequest request, ServerCallContext context) => stored.HasUploads
            ? Task.FromResult(Store(request.Name, []))
            : throw new RpcException(new Status(StatusCode.Unimplemented, "There is only Upload."));

        public override Task<UploadStatus> UploadPart(UploadPartRequest request, ServerCallContext context) =>
            Task.FromResult(Store(request.Upload, [.. stored.Files[request.Upload], .. request.Data.Span]));

        public override Task<UploadStatus> CommitUpload(CommitUploadRequest request, ServerCallContext context) =>
            Task.FromResult(Publish(request.Upload, stored.Files[request.Upload]));

        private UploadStatus Publish(string name, byte[] content)
        {
            UploadStatus status = Store(name, content);
            status.File = new FileVersion
            {
                Name = name,
                Length = content.Length,
                Tag = "1",
                Sha256 = ByteString.CopyFrom(SHA256.HashData(content)),
            };
            return status;
        }

        private UploadStatus Store(string name, byte[] content)
        {
            stored.Files[name] = content;
            return new UploadStatus { Upload = name, Offset = content.Length };
        }
    }
}
