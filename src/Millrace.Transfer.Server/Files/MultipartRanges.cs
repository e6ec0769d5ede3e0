using System.Buffers;
using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>Several ranges in one body: <c>multipart/byteranges</c> (RFC 9110, section 14.6).</summary>
internal sealed class MultipartRanges
{
    private readonly IReadOnlyList<ByteRange> _ranges;
    private readonly byte[][] _heads;
    private readonly byte[] _end;

    public MultipartRanges(IReadOnlyList<ByteRange> ranges, long fileLength, string mediaType)
    {
        _ranges = ranges;

        // Random, so that no file can have been made to contain it.
        string boundary = RandomNumberGenerator.GetHexString(32, lowercase: true);
        ContentType = $"multipart/byteranges; boundary={boundary}";
        _heads = new byte[ranges.Count][];
        for (int i = 0; i < ranges.Count; i++)
        {
            _heads[i] = Encoding.ASCII.GetBytes(
                $"\r\n--{boundary}\r\nContent-Type: {mediaType}\r\nContent-Range: {RangeSelection.ContentRange(ranges[i], fileLength)}\r\n\r\n");
        }

        _end = Encoding.ASCII.GetBytes($"\r\n--{boundary}--\r\n");
        Length = _end.Length + _heads.Sum(static head => (long)head.Length) + ranges.Sum(static range => range.Length);
    }

    public string ContentType { get; }

    /// <summary>Bytes of the whole body.</summary>
    public long Length { get; }

    public async Task SendAsync(
        StoredFileReader reader, PipeWriter body, TransferPass pass, CancellationToken cancellationToken)
    {
        for (int i = 0; i < _ranges.Count; i++)
        {
            body.Write(_heads[i]);
            await FileDownload.SendAsync(reader, _ranges[i], body, pass, cancellationToken);
        }

        body.Write(_end);
        ResponseWriter.ThrowIfGone(await body.FlushAsync(cancellationToken));
    }
}
