using System.Net.Http.Headers;
using System.Text;

namespace Millrace.Transfer;

/// <summary>Several parts of a file on their way here in one response, <c>multipart/byteranges</c> (RFC 9110, section 14.6).</summary>
/// <param name="response">Owns the connection.</param>
/// <param name="body">The parts.</param>
/// <param name="boundary">The separator between them.</param>
/// <param name="call">For messages.</param>
internal sealed class OpenedRanges(HttpResponseMessage response, Stream body, string boundary, ProtocolCall call) : IDisposable
{
    /// <summary>Lines before a part at most: a boundary and a few fields.</summary>
    private const int MaxLines = 32;

    private readonly byte[] _ahead = new byte[16 * 1024];
    private readonly string _boundary = $"--{boundary}";
    private int _start;
    private int _end;
    private long _left;

    public required EntityTag? Tag { get; init; }

    public FileTime? Modified { get; init; }

    /// <summary>The next part.</summary>
    /// <returns>Null after the last one.</returns>
    public async ValueTask<ByteRange?> NextAsync(CancellationToken cancellationToken)
    {
        ByteRange? part = null;
        bool isBegun = false;
        for (int lines = 0; lines < MaxLines; lines++)
        {
            string line = await ReadLineAsync(cancellationToken).ConfigureAwait(false);
            if (!isBegun)
            {
                if (line == _boundary)
                {
                    isBegun = true;
                }
                else if (line == _boundary + "--")
                {
                    return null;
                }
                else if (line.Length > 0)
                {
                    break;
                }
            }
            else if (line.Length == 0)
            {
                _left = part?.Length ?? 0;
                return part ?? throw Malformed();
            }
            else if (line.StartsWith("Content-Range:", StringComparison.OrdinalIgnoreCase))
            {
                part = ContentRangeHeaderValue.TryParse(line["Content-Range:".Length..], out ContentRangeHeaderValue? range)
                    && range is { From: { } from, To: { } to }
                    ? new ByteRange(from, to - from + 1)
                    : throw Malformed();
            }
        }

        throw Malformed();
    }

    /// <summary>Bytes of the part.</summary>
    /// <returns>How many; 0 after the last one.</returns>
    public async ValueTask<int> ReadAsync(Memory<byte> memory, CancellationToken cancellationToken)
    {
        int count = (int)Math.Min(memory.Length, _left);
        if (count == 0)
        {
            return 0;
        }

        if (_start < _end)
        {
            count = Math.Min(count, _end - _start);
            _ahead.AsSpan(_start, count).CopyTo(memory.Span);
            _start += count;
        }
        else
        {
            count = await body.ReadAsync(memory[..count], cancellationToken).ConfigureAwait(false);
            if (count == 0)
            {
                throw Failures.Disconnected(call, null, $"it ended {_left} bytes before the end of a part");
            }
        }

        _left -= count;
        return count;
    }

    public void Dispose()
    {
        body.Dispose();
        response.Dispose();
    }

    private async ValueTask<string> ReadLineAsync(CancellationToken cancellationToken)
    {
        int searched = 0;
        while (true)
        {
            int end = _ahead.AsSpan(_start + searched, _end - _start - searched).IndexOf((byte)'\n');
            if (end >= 0)
            {
                string line = Encoding.Latin1.GetString(_ahead, _start, searched + end).TrimEnd('\r');
                _start += searched + end + 1;
                return line;
            }

            searched = _end - _start;
            _ahead.AsSpan(_start, searched).CopyTo(_ahead);
            (_start, _end) = (0, searched);
            if (_end == _ahead.Length)
            {
                throw Malformed();
            }

            int read = await body.ReadAsync(_ahead.AsMemory(_end), cancellationToken).ConfigureAwait(false);
            if (read == 0)
            {
                throw Failures.Disconnected(call, null, "it ended between its parts");
            }

            _end += read;
        }
    }

    private TransferException Malformed() => Failures.Protocol(call, "the parts of the file cannot be told apart");
}
