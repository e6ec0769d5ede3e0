using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <param name="protocol">gRPC, or one of the forms of gRPC-Web, whose uploads consist of parts of one message each.</param>
internal sealed class ArrayClient(
    StoreAddress server, TransferProtocol protocol, MessageArray array, int bytes, bool isGzip, Durability durability)
{
    /// <summary>Bytes of a part: with its frame below the 8 MiB that many servers and proxies take.</summary>
    private const int PartBytes = 7 * 512 * 1024;

    private static readonly HttpClient Client = new(new SocketsHttpHandler
    {
        UseProxy = false,
        InitialHttp2StreamWindowSize = 16 * 1024 * 1024,
    })
    {
        Timeout = Timeout.InfiniteTimeSpan,
    };

    private readonly MessageForm _form = new(array, protocol == TransferProtocol.GrpcWebText, isGzip);
    private readonly Uri _base = protocol == TransferProtocol.Grpc ? new Uri($"http://{server.Http2}/") : server.Files;

    private bool IsWeb => protocol != TransferProtocol.Grpc;

    public async Task DownloadAsync(TestFile source, string path)
    {
        using HttpRequestMessage request = Request(ArrayServer.DownloadPath, FormattableString.Invariant($"name={Path.GetFileName(source.Path)}"));
        using HttpResponseMessage response = await SendAsync(request).ConfigureAwait(false);
        FilePipeWriter file = FilePipe.Create(path, new FileWriteOptions { Durability = durability });
        await using (file.ConfigureAwait(false))
        {
            Stream body = await response.Content.ReadAsStreamAsync().ConfigureAwait(false);
            (long received, bool isOver) = await MessageArrays.ReceiveAsync(body, file, _form).ConfigureAwait(false);
            if (received != source.Bytes || !(isOver || response.TrailingHeaders.Contains("grpc-status")))
            {
                throw new IOException($"{received} of {source.Bytes} bytes arrived.");
            }

            await file.CommitAsync().ConfigureAwait(false);
        }
    }

    public async Task UploadAsync(TestFile source, string name)
    {
        string id;
        using (HttpRequestMessage start = Request(ArrayServer.StartPath, FormattableString.Invariant($"name={name}&length={source.Bytes}")))
        using (HttpResponseMessage started = await SendAsync(start).ConfigureAwait(false))
        {
            id = await started.Content.ReadAsStringAsync().ConfigureAwait(false);
        }

        Stream file = FilePipe.OpenRead(source.Path).AsStream();
        await using (file.ConfigureAwait(false))
        {
            long part = IsWeb ? PartBytes : source.Bytes;
            for (long offset = 0; offset < source.Bytes; offset += part)
            {
                using HttpRequestMessage append = Request(ArrayServer.AppendPath, FormattableString.Invariant($"id={id}&offset={offset}"));
                append.Content = new MessageContent(file, _form, IsWeb ? PartBytes : bytes, Math.Min(part, source.Bytes - offset));
                using HttpResponseMessage appended = await SendAsync(append).ConfigureAwait(false);
                await appended.Content.CopyToAsync(Stream.Null).ConfigureAwait(false);
            }
        }
    }

    private HttpRequestMessage Request(string path, string query) =>
        new(HttpMethod.Post, new Uri(_base, FormattableString.Invariant(
            $"{path}?{query}&array={_form.Array}&text={_form.IsText}&gzip={_form.IsGzip}&bytes={bytes}")))
        {
            Version = IsWeb ? HttpVersion.Version11 : HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };

    private static async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request)
    {
        HttpResponseMessage response = await Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).ConfigureAwait(false);
        return response.EnsureSuccessStatusCode();
    }

    /// <summary>A file, or a part of one, in messages. Only the length of a single message is known before it is made.</summary>
    private sealed class MessageContent(Stream file, MessageForm form, int messageBytes, long bytes) : HttpContent
    {
        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            if (await MessageArrays.SendAsync(file, stream, form, messageBytes, bytes).ConfigureAwait(false) != bytes)
            {
                throw new IOException("The file is shorter than it was.");
            }
        }

        protected override bool TryComputeLength(out long length)
        {
            bool isKnown = !form.IsGzip && messageBytes >= bytes;
            length = isKnown ? MessageArrays.BytesOf((int)bytes, form) : 0;
            return isKnown;
        }
    }
}
