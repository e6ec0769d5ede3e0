using System.Globalization;
using System.Net;
using System.Security.Cryptography;
using System.Text.Json;
using System.Text.RegularExpressions;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Grpc.Net.Client.Web;
using Millrace.Transfer.Messages;
using Millrace.Transfer.Messages.Health;

namespace Millrace.Transfer.Tests.Peer;

/// <summary>A client that Grpc.Tools makes, on a library of .NET: the commands, options and lines of JSON of tests/interop/grpc/python/peer.py.</summary>
public sealed partial class GrpcDotNetClient : IAsyncDisposable
{
    public const string Http2 = "Grpc.Net.Client";
    public const string Web = "Grpc.Net.Client.Web";
    public const string WebText = "Grpc.Net.Client.Web, text";
    public const string Core = "Grpc.Core";

    private const int DefaultChunk = 64 * 1024;
    private const int MaxChunk = (4 * 1024 * 1024) - 1024;

    private static readonly string[] Switches = ["--recursive", "--must-not-exist", "--gzip", "--stall"];

    private readonly List<string> _lines = [];
    private readonly Dictionary<string, string> _options = [];
    private readonly ChannelBase _channel;
    private readonly FileTransfer.FileTransferClient _client;
    private readonly CancellationTokenSource _cancel = new();

    private GrpcDotNetClient(string library, Uri server, string[] options)
    {
        for (int i = 0; i < options.Length; i++)
        {
            _options[options[i]] = Switches.Contains(options[i]) ? "" : options[++i];
        }

        _channel = Connect(library, server);
        _client = new FileTransfer.FileTransferClient(_channel);
    }

    private string Name => _options.GetValueOrDefault("--name", "");

    private string File => _options["--file"];

    private int ChunkBytes => (int)Math.Min(Number("--chunk") ?? DefaultChunk, MaxChunk);

    private CallOptions Options
    {
        get
        {
            var headers = new Metadata();
            if (_options.TryGetValue("--token", out string? token))
            {
                headers.Add("authorization", $"Bearer {token}");
            }

            if (_options.ContainsKey("--gzip"))
            {
                // The libraries compress a call with this header, and do not send it.
                headers.Add("grpc-internal-encoding-request", "gzip");
            }

            DateTime? deadline = Number("--deadline") is { } milliseconds ? DateTime.UtcNow.AddMilliseconds(milliseconds) : null;
            return new CallOptions(headers, deadline, _cancel.Token);
        }
    }

    /// <summary>Runs one command; returns its report of each call, in JSON.</summary>
    public static async Task<IReadOnlyList<string>> RunAsync(string library, Uri server, string command, params string[] options)
    {
        await using var client = new GrpcDotNetClient(library, server, options);
        await (command switch
        {
            "health" => client.CheckHealthAsync(),
            "stat" => client.StatAsync(),
            "list" => client.ListAsync(),
            "delete" => client.DeleteAsync(),
            "download" => client.DownloadAsync(),
            "upload" => client.UploadAsync(),
            "session" => client.ResumeAsync(inParts: false),
            "parts" => client.ResumeAsync(inParts: true),
            _ => throw new ArgumentOutOfRangeException(nameof(command), command, null),
        });
        return client._lines;
    }

    public async ValueTask DisposeAsync()
    {
        await _channel.ShutdownAsync();
        (_channel as IDisposable)?.Dispose();
        _cancel.Dispose();
    }

    private static ChannelBase Connect(string library, Uri server)
    {
        if (library == Core)
        {
            return new Channel(
                server.Authority, ChannelCredentials.Insecure, [new("grpc.enable_http_proxy", 0), new(ChannelOptions.MaxReceiveMessageLength, -1)]);
        }

        HttpMessageHandler handler = new SocketsHttpHandler { UseProxy = false };
        if (library != Http2)
        {
            handler = new GrpcWebHandler(library == Web ? GrpcWebMode.GrpcWeb : GrpcWebMode.GrpcWebText, handler);
        }

        return GrpcChannel.ForAddress(server, new GrpcChannelOptions
        {
            HttpHandler = handler,
            DisposeHttpClient = true,
            HttpVersion = library == Http2 ? HttpVersion.Version20 : HttpVersion.Version11,
            MaxReceiveMessageSize = null,
            MaxSendMessageSize = null,
        });
    }

    private Task CheckHealthAsync() => AskAsync(
        new Health.HealthClient(_channel).CheckAsync(new HealthCheckRequest { Service = Name }, Options),
        static answer => new() { ["health"] = answer.Status.ToString().ToUpperInvariant() });

    private Task StatAsync() => AskAsync(
        _client.StatAsync(new StatRequest { Name = Name, WantSha256 = true }, Options), static answer => new() { ["file"] = Describe(answer) });

    private Task DeleteAsync() => AskAsync(
        _client.DeleteAsync(new DeleteRequest { Name = Name }, Options), static answer => new() { ["deleted"] = answer.Deleted });

    private async Task ListAsync()
    {
        var entries = new List<Dictionary<string, object>>();
        using AsyncServerStreamingCall<ListEntry> call = _client.List(
            new ListRequest { Folder = Name, Recursive = _options.ContainsKey("--recursive") }, Options);
        Dictionary<string, object> reply = await EndAsync(
            async () =>
            {
                while (await call.ResponseStream.MoveNext(default))
                {
                    ListEntry entry = call.ResponseStream.Current;
                    entries.Add(new() { ["name"] = entry.Name, ["folder"] = entry.IsFolder, ["length"] = entry.File?.Length ?? 0 });
                }
            },
            call.GetTrailers);
        reply["entries"] = entries;
        Report(reply);
    }

    private async Task DownloadAsync()
    {
        var request = new DownloadRequest
        {
            Name = Name,
            Offset = Number("--offset") ?? 0,
            WantSha256 = true,
            ChunkBytes = (int)(Number("--chunk") ?? 0),
        };
        if (Number("--count") is { } count)
        {
            request.Count = count;
        }

        FileVersion version = new();
        End? end = null;
        int messages = 0;
        long received = 0;
        using AsyncServerStreamingCall<Chunk> call = _client.Download(request, Options);
        Dictionary<string, object> reply;
        await using (FileStream file = System.IO.File.Create(File))
        {
            reply = await EndAsync(
                async () =>
                {
                    while (await call.ResponseStream.MoveNext(default))
                    {
                        messages++;
                        Chunk chunk = call.ResponseStream.Current;
                        version = chunk.File ?? version;
                        end = chunk.End ?? end;
                        await file.WriteAsync(chunk.Data.Memory);
                        received += chunk.Data.Length;
                        if (received >= Number("--cancel-after"))
                        {
                            await _cancel.CancelAsync();
                        }
                    }
                },
                call.GetTrailers);
        }

        reply["file"] = Describe(version);
        reply["bytes"] = received;
        reply["messages"] = messages;
        reply["ended"] = end is not null;
        reply["endLength"] = end?.Length ?? 0;
        reply["sha256"] = Hex(HashOfFile());
        reply["toldSha256"] = Hex(end is { HasSha256: true } ? end.Sha256 : version.Sha256);
        Report(reply);
    }

    private async Task UploadAsync()
    {
        var head = new UploadHead { Name = Name };
        if (_options.ContainsKey("--must-not-exist"))
        {
            head.Precondition = new Precondition { MustNotExist = true };
        }

        (Dictionary<string, object> reply, UploadStatus status) = await SendAsync(head, Number("--cancel-after"), Number("--end-after"), withDigest: true);
        reply["sha256"] = Hex(HashOfFile());
        reply["file"] = Describe(status.File ?? new FileVersion());
        Report(reply);
    }

    /// <summary>Begins an upload, breaks it in the middle, asks how far it came, and goes on; or sends it message by message.</summary>
    private async Task ResumeAsync(bool inParts)
    {
        long length = new FileInfo(File).Length;
        UploadStatus status = await CallAsync("StartUpload", _client.StartUploadAsync(new StartUploadRequest { Name = Name, Length = length }, Options));
        string upload = status.Upload;
        if (upload.Length == 0)
        {
            return;
        }

        if (inParts)
        {
            await using FileStream file = System.IO.File.OpenRead(File);
            byte[] buffer = new byte[ChunkBytes];
            while (await file.ReadAtLeastAsync(buffer, buffer.Length, throwOnEndOfStream: false) is > 0 and int read)
            {
                ByteString data = ByteString.CopyFrom(buffer, 0, read);
                status = await CallAsync("UploadPart", _client.UploadPartAsync(
                    new UploadPartRequest { Upload = upload, Offset = status.Offset, Data = data, Sha256 = ByteString.CopyFrom(SHA256.HashData(data.Span)) },
                    Options));
            }
        }
        else
        {
            foreach (bool breaks in new[] { true, false })
            {
                bool cancels = breaks && _options["--break"] == "cancel";
                (Dictionary<string, object> reply, _) = await SendAsync(
                    new UploadHead { Upload = upload, Offset = status.Offset },
                    cancels ? length / 2 : null, breaks && !cancels ? length / 2 : null, withDigest: false);
                reply["call"] = "Upload";
                Report(reply);
                status = await CallAsync("QueryUpload", _client.QueryUploadAsync(new QueryUploadRequest { Upload = upload }, Options));
            }
        }

        await CallAsync("CommitUpload", _client.CommitUploadAsync(
            new CommitUploadRequest { Upload = upload, Sha256 = HashOfFile() }, Options));
    }

    private async Task<(Dictionary<string, object> Reply, UploadStatus Status)> SendAsync(
        UploadHead head, long? cancelAfter, long? endAfter, bool withDigest)
    {
        using var cancel = new CancellationTokenSource();
        using AsyncClientStreamingCall<Chunk, UploadStatus> call = _client.Upload(Options.WithCancellationToken(cancel.Token));
        long sent = 0;
        UploadStatus status = new();
        Dictionary<string, object> reply = await EndAsync(
            async () =>
            {
                try
                {
                    await WriteAsync();
                    await call.RequestStream.CompleteAsync();
                }
                catch (Exception exception) when (exception is RpcException or InvalidOperationException or OperationCanceledException)
                {
                    // The response has the reason.
                }

                status = await call;
            },
            call.GetTrailers);
        reply["bytes"] = sent;
        reply["offset"] = status.Offset;
        return (reply, status);

        async Task WriteAsync()
        {
            await call.RequestStream.WriteAsync(new Chunk { Upload = head });
            if (_options.ContainsKey("--stall"))
            {
                await call.ResponseAsync;
            }

            using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
            await using FileStream file = System.IO.File.OpenRead(File);
            file.Position = head.Offset;
            byte[] buffer = new byte[ChunkBytes];
            while (await file.ReadAsync(buffer) is > 0 and int read)
            {
                hash.AppendData(buffer, 0, read);
                await call.RequestStream.WriteAsync(new Chunk { Data = ByteString.CopyFrom(buffer, 0, read) });
                sent += read;
                if (sent >= endAfter)
                {
                    return;
                }

                if (sent >= cancelAfter)
                {
                    await cancel.CancelAsync();
                }
            }

            var end = new End { Length = sent };
            if (withDigest)
            {
                end.Sha256 = ByteString.CopyFrom(hash.GetHashAndReset());
            }

            await call.RequestStream.WriteAsync(new Chunk { End = end });
        }
    }

    private async Task<UploadStatus> CallAsync(string name, AsyncUnaryCall<UploadStatus> call)
    {
        UploadStatus status = new();
        await AskAsync(call, answer =>
        {
            status = answer;
            return [];
        }, reply =>
        {
            reply["call"] = name;
            reply["offset"] = status.Offset;
            reply["file"] = Describe(status.File ?? new FileVersion());
        });
        return status;
    }

    private async Task AskAsync<T>(
        AsyncUnaryCall<T> call, Func<T, Dictionary<string, object>> describe, Action<Dictionary<string, object>>? complete = null)
    {
        using (call)
        {
            Dictionary<string, object> answer = [];
            Dictionary<string, object> reply = await EndAsync(async () => answer = describe(await call), call.GetTrailers);
            foreach ((string key, object value) in answer)
            {
                reply[key] = value;
            }

            complete?.Invoke(reply);
            Report(reply);
        }
    }

    /// <summary>Waits for the end of a call; how it ended.</summary>
    private static async Task<Dictionary<string, object>> EndAsync(Func<Task> call, Func<Metadata> trailers)
    {
        var status = Status.DefaultSuccess;
        Metadata told;
        try
        {
            await call();
            told = trailers();
        }
        catch (RpcException exception)
        {
            status = exception.Status;
            told = exception.Trailers;
        }

        return new()
        {
            ["status"] = status.StatusCode == StatusCode.OK ? "OK" : Words().Replace(status.StatusCode.ToString(), "_$0").ToUpperInvariant(),
            ["code"] = (int)status.StatusCode,
            ["message"] = status.Detail ?? "",
            ["trailers"] = told.Where(static item => !item.IsBinary).GroupBy(static item => item.Key).ToDictionary(static all => all.Key, static all => all.Last().Value),
        };
    }

    private static Dictionary<string, object> Describe(FileVersion version)
    {
        var fields = new Dictionary<string, object>
        {
            ["name"] = version.Name,
            ["length"] = version.Length,
            ["tag"] = version.Tag,
            ["offset"] = version.Offset,
            ["count"] = version.Count,
            ["modified"] = version.Modified?.Seconds ?? 0,
        };
        if (version.HasSha256)
        {
            fields["sha256"] = Hex(version.Sha256);
        }

        return fields;
    }

    private static string Hex(ByteString bytes) => Convert.ToHexStringLower(bytes.Span);

    private ByteString HashOfFile()
    {
        using FileStream file = System.IO.File.OpenRead(File);
        return ByteString.CopyFrom(SHA256.HashData(file));
    }

    private long? Number(string option) => _options.TryGetValue(option, out string? text) ? long.Parse(text, CultureInfo.InvariantCulture) : null;

    private void Report(Dictionary<string, object> reply) => _lines.Add(JsonSerializer.Serialize(reply));

    [GeneratedRegex("(?<=[a-z])[A-Z]")]
    private static partial Regex Words();
}
