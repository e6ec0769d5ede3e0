using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Security.Cryptography;
using System.Text.Json;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Tests.Peer;

/// <summary>
/// A server that Grpc.Tools makes, on Grpc.AspNetCore.Server and Grpc.AspNetCore.Web: the options, failures and lines of JSON of
/// tests/interop/grpc/python/server.py, and answers with gzip where the request has it.
/// </summary>
public sealed class GrpcDotNetServer : IAsyncDisposable
{
    public const string Http2 = "Grpc.AspNetCore.Server";
    public const string Web = "Grpc.AspNetCore.Web";
    public const string WebText = "Grpc.AspNetCore.Web, text";

    /// <summary>An option: the text of a request must be one base64 text, as proxies such as Envoy require.</summary>
    public const string Strict = "--strict";

    /// <summary>An option: uploads cannot be started and sent in parts.</summary>
    public const string WithoutParts = "--without-parts";

    private readonly WebApplication _application;
    private readonly Service _service;

    private GrpcDotNetServer(WebApplication application, Service service) => (_application, _service) = (application, service);

    public int Port => new Uri(_application.Urls.Single()).Port;

    /// <summary>Its reports so far.</summary>
    public IEnumerable<string> Lines => _service.Lines;

    public static async Task<GrpcDotNetServer> StartAsync(string library, string folder, params string[] options)
    {
        var service = new Service(folder, options);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddSingleton(service);
        builder.Services.AddGrpc(static options =>
        {
            options.EnableDetailedErrors = true;
            options.MaxReceiveMessageSize = null;
            options.ResponseCompressionAlgorithm = "gzip";
        });
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            // The client under test is not at fault if a disk is busy for seconds.
            kestrel.Limits.MinRequestBodyDataRate = null;
            kestrel.Limits.MinResponseDataRate = null;
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = library == Http2 ? HttpProtocols.Http2 : HttpProtocols.Http1);
        });
        WebApplication application = builder.Build();
        if (options.Contains(Strict))
        {
            application.Use(DecodeAsync);
        }

        application.UseGrpcWeb(new GrpcWebOptions { DefaultEnabled = true });
        application.MapGrpcService<Service>();
        await application.StartAsync();
        return new GrpcDotNetServer(application, service);
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

    private sealed class Session(string name, string path)
    {
        private bool _broken;

        public string Name => name;

        public string Path => path;

        public long Offset { get; set; }

        public long? Length { get; set; }

        public ByteString Sha256 { get; set; } = ByteString.Empty;

        /// <summary>A call that appends or asks waits for the one that appends, which was cut and ends soon.</summary>
        public SemaphoreSlim Lock { get; } = new(1);

        /// <summary>Fails once.</summary>
        public void BreakAfter(long bytes)
        {
            if (Is(name, "flaky-") && Offset > bytes && !_broken)
            {
                _broken = true;
                throw Failure(StatusCode.Unavailable, "It breaks here once.");
            }
        }

        public UploadStatus Describe(string id)
        {
            var status = new UploadStatus { Upload = id, Offset = Offset, Expires = DateTime.UtcNow.AddHours(1).ToTimestamp() };
            if (Length is { } length)
            {
                status.Length = length;
            }

            return status;
        }
    }

    private sealed class Service(string folder, string[] options) : FileTransfer.FileTransferBase
    {
        private const int DefaultChunk = 64 * 1024;
        private const string OddMessage = "Zugriff verweigert: 100 % Größe, 世界";

        private readonly string? _token = options.SkipWhile(static option => option != "--token").ElementAtOrDefault(1);
        private readonly ConcurrentDictionary<string, Session> _sessions = [];
        private int _begun;

        public ConcurrentQueue<string> Lines { get; } = [];

        public override Task<FileVersion> Stat(StatRequest request, ServerCallContext context)
        {
            Begin(context, "Stat", request.Name);
            return Task.FromResult(Describe(request.Name, request.WantSha256));
        }

        public override async Task List(ListRequest request, IServerStreamWriter<ListEntry> responseStream, ServerCallContext context)
        {
            Begin(context, "List", request.Folder);
            IEnumerable<ListEntry> entries =
                from info in new DirectoryInfo(PathOf(request.Folder)).EnumerateFileSystemInfos(
                    "*", request.Recursive ? SearchOption.AllDirectories : SearchOption.TopDirectoryOnly)
                where !info.Name.StartsWith('.') && !(request.Recursive && info is DirectoryInfo)
                select new ListEntry { Name = Path.GetRelativePath(folder, info.FullName), IsFolder = info is DirectoryInfo };
            foreach (ListEntry entry in entries.Where(entry => string.CompareOrdinal(entry.Name, request.After) > 0)
                .OrderBy(static entry => entry.Name, StringComparer.Ordinal).Take(request.Limit > 0 ? request.Limit : int.MaxValue))
            {
                entry.File = entry.IsFolder ? null : Describe(entry.Name, withDigest: false);
                await responseStream.WriteAsync(entry);
            }
        }

        public override Task Download(DownloadRequest request, IServerStreamWriter<Chunk> responseStream, ServerCallContext context) =>
            WatchAsync("Download", async () =>
            {
                Begin(context, "Download", request.Name);
                FileVersion file = Describe(request.Name, request.WantSha256 && request.Offset > 0);
                file.Offset = request.HasIfTag && request.IfTag != file.Tag ? 0 : request.Offset;
                Require(file.Offset <= file.Length, StatusCode.OutOfRange, $"The file has {file.Length} bytes.");
                file.Count = Math.Min(request.HasCount ? request.Count : file.Length, file.Length - file.Offset);
                await responseStream.WriteAsync(new Chunk { File = file });
                await WaitIfSlowAsync(context, request.Name);

                bool isFlaky = Is(request.Name, "flaky-") && file.Offset == 0;
                bool isCut = Is(request.Name, "cut-");
                byte[] buffer = new byte[request.ChunkBytes > 0 ? request.ChunkBytes : DefaultChunk];
                using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
                await using (FileStream content = File.OpenRead(PathOf(request.Name)))
                {
                    content.Position = file.Offset;
                    int count;
                    for (long left = isFlaky || isCut ? file.Count / 2 : file.Count; left > 0; left -= count)
                    {
                        count = (int)Math.Min(left, buffer.Length);
                        await content.ReadExactlyAsync(buffer.AsMemory(0, count));
                        hash.AppendData(buffer, 0, count);
                        await responseStream.WriteAsync(new Chunk { Data = ByteString.CopyFrom(buffer, 0, count) });

                        // Writes after the end of a connection complete at once, before the thread pool reports that end.
                        await Task.Yield();
                    }
                }

                Require(!isFlaky, StatusCode.Unavailable, "It breaks here once.");
                if (!isCut)
                {
                    var end = new End { Length = file.Count };
                    if (request.WantSha256 && file.Count == file.Length)
                    {
                        end.Sha256 = ByteString.CopyFrom(Is(request.Name, "wrong-") ? new byte[32] : hash.GetHashAndReset());
                    }

                    await responseStream.WriteAsync(new Chunk { End = end });
                }

                return 0;
            });

        public override Task<UploadStatus> Upload(IAsyncStreamReader<Chunk> requestStream, ServerCallContext context) =>
            WatchAsync("Upload", async () =>
            {
                UploadHead? head = await requestStream.MoveNext() ? requestStream.Current.Upload : null;
                Require(head is not null, StatusCode.InvalidArgument, "The first message says what is uploaded.");
                Session session = head!.Upload.Length > 0 ? Find(head.Upload) : Make(head.Name);
                Begin(context, "Upload", session.Name);
                Check(session.Name, head.Precondition);
                session.Sha256 = head.HasSha256 ? head.Sha256 : session.Sha256;
                await WaitIfSlowAsync(context, session.Name);
                return await AloneAsync(session, async () =>
                {
                    ThrowIfOffsetMismatch(session, head.Offset);
                    End? end = null;
                    await using (FileStream file = File.OpenWrite(session.Path))
                    {
                        file.Position = session.Offset;
                        while (end is null && await requestStream.MoveNext())
                        {
                            end = requestStream.Current.End;
                            await file.WriteAsync(requestStream.Current.Data.Memory);
                            session.Offset += requestStream.Current.Data.Length;
                            session.BreakAfter(100_000);
                        }
                    }

                    context.CancellationToken.ThrowIfCancellationRequested();
                    Require(end is not null, StatusCode.InvalidArgument, "The upload was cut.");
                    Require(session.Offset - head.Offset == end!.Length, StatusCode.DataLoss, "Another length than was said.");
                    session.Sha256 = end.HasSha256 ? end.Sha256 : session.Sha256;
                    return head.Upload.Length == 0 || head.Commit ? Publish(head.Upload, session) : session.Describe(head.Upload);
                });
            });

        public override Task<DeleteResponse> Delete(DeleteRequest request, ServerCallContext context)
        {
            Begin(context, "Delete", request.Name);
            Check(request.Name, request.Precondition);
            bool exists = File.Exists(PathOf(request.Name));
            File.Delete(PathOf(request.Name));
            return Task.FromResult(new DeleteResponse { Deleted = exists });
        }

        public override Task<UploadStatus> StartUpload(StartUploadRequest request, ServerCallContext context)
        {
            Begin(context, "StartUpload", request.Name);
            Require(!options.Contains(WithoutParts), StatusCode.Unimplemented, "There is only Upload.");
            Check(request.Name, request.Precondition);
            Session session = Make(request.Name);
            session.Length = request.HasLength ? request.Length : null;
            session.Sha256 = request.Sha256;
            string id = $"upload-{Interlocked.Increment(ref _begun)}";
            _sessions[id] = session;
            return Task.FromResult(session.Describe(id));
        }

        public override Task<UploadStatus> UploadPart(UploadPartRequest request, ServerCallContext context)
        {
            Session session = Find(request.Upload);
            Begin(context, "UploadPart", session.Name);
            return AloneAsync(session, async () =>
            {
                ThrowIfOffsetMismatch(session, request.Offset);
                Require(
                    !request.HasSha256 || request.Sha256.Span.SequenceEqual(SHA256.HashData(request.Data.Span)),
                    StatusCode.DataLoss, "The part has another SHA-256.");
                await using (FileStream file = File.OpenWrite(session.Path))
                {
                    file.Position = session.Offset;
                    await file.WriteAsync(request.Data.Memory);
                }

                // A client whose part was kept, and that learns nothing of it, has to ask.
                session.Offset += request.Data.Length;
                session.BreakAfter(100_000);
                return session.Describe(request.Upload);
            });
        }

        public override Task<UploadStatus> QueryUpload(QueryUploadRequest request, ServerCallContext context)
        {
            Session session = Find(request.Upload);
            Begin(context, "QueryUpload", session.Name);
            return AloneAsync(session, () => Task.FromResult(session.Describe(request.Upload)));
        }

        public override Task<UploadStatus> CommitUpload(CommitUploadRequest request, ServerCallContext context)
        {
            Session session = Find(request.Upload);
            Begin(context, "CommitUpload", session.Name);
            session.Length = request.HasLength ? request.Length : session.Length;
            session.Sha256 = request.HasSha256 ? request.Sha256 : session.Sha256;
            return AloneAsync(session, () => Task.FromResult(Publish(request.Upload, session)));
        }

        public override Task<AbortUploadResponse> AbortUpload(AbortUploadRequest request, ServerCallContext context)
        {
            bool exists = _sessions.TryRemove(request.Upload, out Session? session);
            if (exists)
            {
                File.Delete(session!.Path);
            }

            return Task.FromResult(new AbortUploadResponse { Aborted = exists });
        }

        private static async Task WaitIfSlowAsync(ServerCallContext context, string name) =>
            await Task.Delay(Is(name, "slow-") ? Timeout.Infinite : 0, context.CancellationToken);

        private static async Task<UploadStatus> AloneAsync(Session session, Func<Task<UploadStatus>> act)
        {
            await session.Lock.WaitAsync();
            try
            {
                return await act();
            }
            finally
            {
                session.Lock.Release();
            }
        }

        private static void ThrowIfOffsetMismatch(Session session, long offset)
        {
            if (offset != session.Offset)
            {
                string kept = session.Offset.ToString(CultureInfo.InvariantCulture);
                throw new RpcException(
                    new Status(StatusCode.Aborted, $"The upload has {kept} bytes."),
                    new Metadata { { "millrace-error", "OffsetMismatch" }, { "millrace-offset", kept } });
            }
        }

        private static ByteString HashOf(string path)
        {
            using FileStream file = File.OpenRead(path);
            return ByteString.CopyFrom(SHA256.HashData(file));
        }

        /// <summary>Reports a call that its client or its deadline ended.</summary>
        private async Task<T> WatchAsync<T>(string method, Func<Task<T>> call)
        {
            try
            {
                return await call();
            }
            catch (Exception exception) when (exception is not RpcException)
            {
                Report(new { cancelled = method });
                throw;
            }
        }

        /// <summary>What all calls have in common; an error for names that ask for one.</summary>
        private void Begin(ServerCallContext context, string method, string name)
        {
            Report(new { method, name });
            IHeaderDictionary fields = context.GetHttpContext().Request.Headers;
            context.WriteOptions = fields["grpc-encoding"] == "gzip" ? null : new WriteOptions(WriteFlags.NoCompress);
            Require(_token is null || fields.Authorization == $"Bearer {_token}", StatusCode.Unauthenticated, "A token is needed.");
            Require(
                !name.StartsWith('/') && !name.Split('/').Contains(".."), StatusCode.InvalidArgument, "A name is relative to the folder.");
            if (Is(name, "status-"))
            {
                throw Failure((StatusCode)int.Parse(name["status-".Length..], CultureInfo.InvariantCulture), OddMessage);
            }
        }

        private void Check(string name, Precondition? precondition)
        {
            bool exists = File.Exists(PathOf(name));
            Require(precondition is not { MustNotExist: true } || !exists, StatusCode.AlreadyExists, $"There is already {name}.");
            bool fits = exists && (precondition is not { Tags.Count: > 0 } || precondition.Tags.Contains(Describe(name, withDigest: false).Tag));
            Require(
                fits || precondition is not ({ MustExist: true } or { Tags.Count: > 0 }),
                StatusCode.FailedPrecondition, $"Another version of {name} is there.");
        }

        private FileVersion Describe(string name, bool withDigest)
        {
            var file = new FileInfo(PathOf(name));
            Require(file.Exists, StatusCode.NotFound, $"There is no file {name}.");
            var version = new FileVersion
            {
                Name = name,
                Length = file.Length,
                Count = file.Length,
                Modified = file.LastWriteTimeUtc.ToTimestamp(),
                Tag = $"{file.LastWriteTimeUtc.Ticks}-{file.Length}",
            };
            if (withDigest)
            {
                version.Sha256 = HashOf(file.FullName);
            }

            return version;
        }

        private Session Make(string name)
        {
            string path = PathOf($".part-{Interlocked.Increment(ref _begun)}");
            File.Create(path).Dispose();
            return new Session(name, path);
        }

        private Session Find(string id) =>
            _sessions.TryGetValue(id, out Session? session) ? session : throw Failure(StatusCode.NotFound, $"There is no upload {id}.");

        private UploadStatus Publish(string id, Session session)
        {
            Require(
                (session.Length ?? session.Offset) == session.Offset,
                StatusCode.FailedPrecondition, $"Only {session.Offset} bytes have come.");
            _sessions.TryRemove(id, out _);
            Require(
                session.Sha256.IsEmpty || HashOf(session.Path).Equals(session.Sha256), StatusCode.DataLoss, "The file has another SHA-256.");
            string target = PathOf(session.Name);
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Move(session.Path, target, overwrite: true);
            UploadStatus status = session.Describe(id);
            status.File = Describe(session.Name, withDigest: !session.Sha256.IsEmpty);
            return status;
        }

        private string PathOf(string name) => Path.Combine(folder, name);

        private void Report(object fields) => Lines.Enqueue(JsonSerializer.Serialize(fields));
    }

    private static bool Is(string name, string kind) => Path.GetFileName(name).StartsWith(kind, StringComparison.Ordinal);

    private static void Require(bool condition, StatusCode status, string otherwise)
    {
        if (!condition)
        {
            throw Failure(status, otherwise);
        }
    }

    private static RpcException Failure(StatusCode status, string message) => new(new Status(status, message));
}
