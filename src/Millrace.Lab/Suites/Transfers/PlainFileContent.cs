using System.Net;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>A file as the body of a request.</summary>
internal sealed class PlainFileContent : HttpContent
{
    private readonly FileStream _file;
    private readonly int _buffer;
    private readonly bool _withDigest;
    private readonly bool _withGzip;

    /// <summary>Takes the file, which it does not close, and what it is copied with.</summary>
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

    /// <summary>The digest of what was sent; null before, and when none was asked for.</summary>
    public Sha256Digest? Digest { get; private set; }

    /// <inheritdoc/>
    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
    {
        if (_withGzip)
        {
            await PlainCopy.EncodeAsync(_file, stream, _buffer).ConfigureAwait(false);
            return;
        }

        Digest = await PlainCopy.CopyAsync(_file, stream, _buffer, _withDigest).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override bool TryComputeLength(out long length)
    {
        // How long it is with gzip shows at its end: it is sent in chunks.
        length = _file.Length;
        return !_withGzip;
    }
}
