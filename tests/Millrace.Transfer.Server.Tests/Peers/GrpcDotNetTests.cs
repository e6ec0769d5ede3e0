extern alias Peer;

using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Millrace.Transfer.Server.Tests.Grpc;
using Peer::Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Peers;

/// <summary>A client that Grpc.Tools makes, on Grpc.Net.Client, whose calls share one connection.</summary>
public sealed class GrpcDotNetTests : IAsyncLifetime
{
    private const int Tries = 75;

    private ServedFolder? _server;

    private ServedFolder Server => _server!;

    public async Task InitializeAsync()
    {
        _server = await ServedFolder.StartAsync(OfferHttp2);
        await Server.WriteAsync("file", Content.Random(2_000_000));
    }

    public async Task DisposeAsync() => await Server.DisposeAsync();

    [Theory, Trait("Tier", "All")]
    [InlineData("a//b", false, 3)]
    [InlineData("file", true, 6)]
    public async Task Refused_upload_leaves_the_download_beside_it_alone(string name, bool isNew, int status)
    {
        await using ServedFolder served = await StartTogetherAsync();
        await served.WriteAsync("file", Content.Random(2_000_000));
        using GrpcChannel channel = GrpcChannel.ForAddress(
            served.Server.Http2Address!, new GrpcChannelOptions { HttpHandler = new SocketsHttpHandler() });
        var client = new FileTransfer.FileTransferClient(channel);
        var failures = new List<string>();
        for (int i = 0; i < Tries; i++)
        {
            using AsyncServerStreamingCall<Chunk> download = client.Download(new DownloadRequest { Name = "file", ChunkBytes = 65536 });
            Assert.True(await download.ResponseStream.MoveNext());
            Assert.Equal(status, (int)await UploadAsync(client, name, isNew));
            try
            {
                while (await download.ResponseStream.MoveNext())
                {
                }
            }
            catch (RpcException exception)
            {
                failures.Add($"{i}: {exception}");
            }
        }

        Assert.True(failures.Count == 0, $"{failures.Count}: {failures.FirstOrDefault()}");
    }

    [Fact]
    public async Task Status_and_reset_of_a_refused_upload_arrive_together()
    {
        await using ServedFolder served = await StartTogetherAsync();
        using RawHttp2 connection = await RawHttp2.OpenAsync(served.Server.Http2Address!.Port);
        for (int stream = 1; stream < 2 * Tries; stream += 2)
        {
            await connection.RequestAsync(
                stream, "POST", "/millrace.v1.FileTransfer/Upload", end: false, ("content-type", "application/grpc"), ("te", "trailers"));

            // A head with the name "..".
            await connection.SendAsync(new Http2Frame(RawHttp2.Data, 0, stream, new byte[] { 0, 0, 0, 0, 6, 26, 4, 10, 2, (byte)'.', (byte)'.' }));
            Http2Frame? status = await connection.ReadUntilAsync(RawHttp2.Headers, stream);
            Assert.True(connection.Available >= 13, $"Only {connection.Available} bytes after the status of stream {stream}, {status}");
            Assert.Equal(0, (await connection.ReadUntilAsync(RawHttp2.ResetStream, stream))!.Value.ErrorCode);
            Assert.Equal(RawHttp2.EndHeaders | RawHttp2.EndStream, status!.Value.Flags);
        }
    }

    [Fact]
    public async Task Refused_PUT_of_HttpClient_leaves_the_download_beside_it_alone()
    {
        using var client = new HttpClient
        {
            BaseAddress = Server.Server.Http2Address,
            DefaultRequestVersion = HttpVersion.Version20,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        var failures = new List<string>();
        for (int i = 0; i < Tries; i++)
        {
            using HttpResponseMessage download = await client.GetAsync("files/file", HttpCompletionOption.ResponseHeadersRead);
            using (var put = new HttpRequestMessage(HttpMethod.Put, "files/a//b"))
            {
                (put.Version, put.VersionPolicy) = (HttpVersion.Version20, HttpVersionPolicy.RequestVersionExact);
                put.Content = new StreamedContent(static async stream =>
                {
                    for (int i = 0; i < 64; i++)
                    {
                        await stream.WriteAsync(new byte[65536]);
                    }
                });
                using HttpResponseMessage answer = await client.SendAsync(put);
                Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
            }

            try
            {
                Assert.Equal(2_000_000, (await download.Content.ReadAsByteArrayAsync()).Length);
            }
            catch (HttpRequestException exception)
            {
                failures.Add($"{i}: {exception}");
            }
        }

        Assert.True(failures.Count == 0, $"{failures.Count}: {failures.FirstOrDefault()}");
    }

    /// <summary>Starts a server whose transport sends a status and the reset after it together; Kestrel's own sends them one by one.</summary>
    private static Task<ServedFolder> StartTogetherAsync() => ServedFolder.StartAsync(options =>
    {
        options.Transport = ServerTransport.Millrace;
        OfferHttp2(options);
    });

    private static void OfferHttp2(TransferHostOptions options)
    {
        options.OfferHttp2Port = true;
        options.Http2Port = 0;
    }

    private static async Task<StatusCode> UploadAsync(FileTransfer.FileTransferClient client, string name, bool isNew)
    {
        using AsyncClientStreamingCall<Chunk, Peer::Millrace.Transfer.Messages.UploadStatus> upload = client.Upload();
        var head = new UploadHead { Name = name, Precondition = new Precondition { MustNotExist = isNew } };
        try
        {
            await upload.RequestStream.WriteAsync(new Chunk { Upload = head });
            var data = new Chunk { Data = ByteString.CopyFrom(new byte[65536]) };
            for (int i = 0; i < 64; i++)
            {
                await upload.RequestStream.WriteAsync(data);
            }

            await upload.RequestStream.CompleteAsync();
        }
        catch (RpcException)
        {
            // It was refused while it was sent: the answer has why.
        }

        return (await Assert.ThrowsAsync<RpcException>(async () => await upload.ResponseAsync)).StatusCode;
    }
}
