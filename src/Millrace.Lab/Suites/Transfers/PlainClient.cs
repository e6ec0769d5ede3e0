using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The client's end of the rows HttpClient: a file is the body of a request or of a response, and nothing else.</summary>
/// <param name="server">Where the <see cref="PlainEndpoints"/> are.</param>
/// <param name="buffer">Bytes that are copied at a time, at both ends.</param>
internal sealed class PlainClient(Uri server, int buffer, bool withDigest, bool isDurable, bool withGzip = false, bool isHttp2 = false)
{
    private static readonly HttpClient Http1 = Create(HttpVersion.Version11);
    private static readonly HttpClient Http2 = Create(HttpVersion.Version20);

    private readonly string _query = FormattableString.Invariant($"?buffer={buffer}&digest={withDigest}&durable={isDurable}&gzip={withGzip}");

    private HttpClient Client => isHttp2 ? Http2 : Http1;

    public async Task DownloadAsync(TestFile file, string path)
    {
        Uri address = AddressOf(Path.GetFileName(file.Path));
        Sha256Digest? found;
        using (HttpResponseMessage response =
            await Client.GetAsync(address, HttpCompletionOption.ResponseHeadersRead).ConfigureAwait(false))
        {
            response.EnsureSuccessStatusCode();
            Stream body = await response.Content.ReadAsStreamAsync().ConfigureAwait(false);
            await using (body.ConfigureAwait(false))
            {
                found = await PlainCopy.ToFileAsync(body, path, buffer, withDigest, isDurable, IsCoded(response)).ConfigureAwait(false);
            }
        }

        if (withDigest)
        {
            // Behind the body, where the sender knows it; a trailer would need chunks, which are dearer than this request.
            var digest = new Uri(server, PlainEndpoints.DigestPath);
            Compare(found, await Client.GetStringAsync(digest).ConfigureAwait(false));
        }
    }

    public async Task UploadAsync(TestFile file, string name)
    {
        FileStream stream = PlainCopy.OpenRead(file.Path, buffer);
        await using (stream.ConfigureAwait(false))
        {
            using var content = new PlainFileContent(stream, buffer, withDigest, withGzip);
            using HttpResponseMessage response = await Client.PutAsync(AddressOf(name), content).ConfigureAwait(false);
            response.EnsureSuccessStatusCode();
            string answer = await response.Content.ReadAsStringAsync().ConfigureAwait(false);
            if (withDigest)
            {
                Compare(content.Digest, answer);
            }
        }
    }

    // One for the process, as its documentation recommends: connections stay open between invocations. The window is the largest that
    // HttpClient has, and that of Millrace's client.
    private static HttpClient Create(Version version) =>
        new(new SocketsHttpHandler { UseProxy = false, InitialHttp2StreamWindowSize = (int)(16 * ByteSize.MiB) })
        {
            DefaultRequestVersion = version,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Timeout = Timeout.InfiniteTimeSpan,
        };

    private static bool IsCoded(HttpResponseMessage response) => response.Content.Headers.ContentEncoding.Count > 0;

    private Uri AddressOf(string name) => new(server, PlainEndpoints.FilesPath + name + _query);

    private static void Compare(Sha256Digest? mine, string theirs)
    {
        if (mine?.ToString() != theirs)
        {
            throw new IOException($"The digest here is {mine}, and that of the server {theirs}.");
        }
    }
}

internal sealed class PlainFileContent : HttpContent
{
    private readonly FileStream _file;
    private readonly int _buffer;
    private readonly bool _withDigest;
    private readonly bool _withGzip;

    public PlainFileContent(FileStream file, int buffer, bool withDigest, bool withGzip)
    {
        _file = file;
        _buffer = buffer;
        _withDigest = withDigest;
        _withGzip = withGzip;
        Headers.ContentType = new("application/octet-stream");
        if (withGzip)
        {
            Headers.ContentEncoding.Add(PlainCopy.Gzip);
        }
        else
        {
            Headers.ContentLength = file.Length;
        }
    }

    /// <summary>The digest of the sent bytes; null before, and when none was requested.</summary>
    public Sha256Digest? Digest { get; private set; }

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
    {
        if (_withGzip)
        {
            await PlainCopy.EncodeAsync(_file, stream, _buffer).ConfigureAwait(false);
            return;
        }

        Digest = await PlainCopy.CopyAsync(_file, stream, _buffer, _withDigest).ConfigureAwait(false);
    }

    protected override bool TryComputeLength(out long length)
    {
        // The compressed length is not known before the end, so the body is sent in chunks.
        length = _file.Length;
        return !_withGzip;
    }
}
