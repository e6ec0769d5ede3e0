using System.Collections.Concurrent;
using System.Net;
using System.Security.Cryptography;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
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

    /// <summary>What was uploaded, by name.</summary>
    public ConcurrentDictionary<string, byte[]> Files => _application.Services.GetRequiredService<Stored>().Files;

    public Uri Address => new(_application.Urls.Single());

    public static async Task<GrpcDotNetServer> StartAsync()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddGrpc(static options => options.EnableDetailedErrors = true);
        builder.Services.AddSingleton<Stored>();
        builder.WebHost.ConfigureKestrel(static kestrel =>
            kestrel.Listen(IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http1));
        WebApplication application = builder.Build();
        application.UseGrpcWeb(new GrpcWebOptions { DefaultEnabled = true });
        application.MapGrpcService<Service>();
        await application.StartAsync();
        return new GrpcDotNetServer(application);
    }

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    private sealed class Stored
    {
        public ConcurrentDictionary<string, byte[]> Files { get; } = [];
    }

    /// <summary>Uploads by one call and by parts. The upload of a file has its name.</summary>
    private sealed class Service(Stored stored) : FileTransfer.FileTransferBase
    {
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

        public override Task<UploadStatus> StartUpload(StartUploadRequest request, ServerCallContext context) =>
            Task.FromResult(Store(request.Name, []));

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
