using System.Net;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>A file as the body of a request.</summary>
internal sealed class PlainFileContent : HttpContent
{
    private readonly FileStream _file;
    private readonly int _buffer;
    private readonly bool _withDigest;

    /// <summary>Takes the file, which it does not close, and what it is copied with.</summary>
    public PlainFileContent(FileStream file, int buffer, bool withDigest)
    {
        _file = file;
        _buffer = buffer;
        _withDigest = withDigest;
        Headers.ContentType = new("application/octet-stream");
        Headers.ContentLength = file.Length;
    }

    /// <summary>The digest of what was sent; null before, and when none was asked for.</summary>
    public Sha256Digest? Digest { get; private set; }

    /// <inheritdoc/>
    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        Digest = await PlainCopy.CopyAsync(_file, stream, _buffer, _withDigest).ConfigureAwait(false);

    /// <inheritdoc/>
    protected override bool TryComputeLength(out long length)
    {
        length = _file.Length;
        return true;
    }
}
