namespace Millrace.Transfer;

/// <summary>
/// How many bytes of a file one request brings: all, unless the server announces a limit, or something in front of it refuses
/// large requests or ends long ones. All transfers of a client share the learned sizes.
/// </summary>
/// <remarks>Thread-safe.</remarks>
/// <param name="minBytes">No refusal and no cut makes requests smaller than this.</param>
internal sealed class RequestSizes(long minBytes = RequestSizes.MinBytes)
{
    /// <summary>The usual smallest size, which nginx accepts without a setting.</summary>
    public const long MinBytes = 1024 * 1024;

    /// <summary>The first size after a refusal: limits of proxies are about this, and files may be far longer.</summary>
    public const long MaxAfterRefusal = 64 * 1024 * 1024;

    /// <summary>Requests in a row that have to get through after a cut before larger ones are tried.</summary>
    /// <remarks>
    /// Each trial in vain doubles it, so that trials cost a small part of the bytes of a long upload: up to four connections find the same
    /// limit at once. A size that is too small costs one round trip for each of them.
    /// </remarks>
    public const int FirstPatience = 16;

    private const int MaxPatience = 1024;

    private readonly Lock _lock = new();
    private long _announced = long.MaxValue;
    private long _refused = long.MaxValue;
    private long _size = long.MaxValue;
    private long _passed = MinBytes;
    private bool _wasCut;
    private bool _isTrial;
    private int _gotThrough;
    private int _patience = FirstPatience;

    /// <summary>The most bytes of the next request.</summary>
    public long Max
    {
        get
        {
            lock (_lock)
            {
                return Math.Min(_size, _announced);
            }
        }
    }

    /// <summary>Obeys a limit that the server has announced. The lowest counts: a client that follows one that rises could be led in circles.</summary>
    public void Announce(long bytes)
    {
        lock (_lock)
        {
            _announced = Math.Clamp(bytes, 1, _announced);
        }
    }

    /// <summary>
    /// Whether no request as large as this one has got through yet. It asks first (<c>Expect: 100-continue</c>): HttpClient reads no response
    /// before it has sent the whole body, of which a proxy that refuses it may discard any amount.
    /// </summary>
    public bool IsUntried(Outgoing content)
    {
        lock (_lock)
        {
            return content.MaxBytes is not null && content.Limit > _passed;
        }
    }

    /// <summary>A request got through.</summary>
    public void GotThrough(Outgoing content)
    {
        lock (_lock)
        {
            _passed = Math.Max(_passed, content.Sent);
        }

        if (content.IsFull)
        {
            GotThrough();
        }
    }

    /// <summary>Learns from a request that failed.</summary>
    /// <returns>The exception to throw: the same one, or one that is retried at once because the next request is smaller.</returns>
    public TransferException Learn(TransferException exception, Outgoing content)
    {
        if (content.MaxBytes is null)
        {
            // One request brings the whole file, and cannot bring less.
            return exception;
        }

        if (exception.Status == 413)
        {
            // The server's own refusal is about the file, unless it has announced a limit that the request did not know.
            long bytes = content.Count ?? content.Sent;
            return (exception.IsForeign ? Refuse(bytes) : bytes > Max) ? exception.AsSmaller() : exception;
        }

        if (exception is { Error: TransferError.Disconnected, Status: null } or { IsForeign: true, Status: 408 or 504 })
        {
            Cut(content.Sent);
        }

        return exception;
    }

    /// <summary>A request that brought as many bytes as it could got through: larger ones are tried, but none as large as one that was refused.</summary>
    public void GotThrough()
    {
        lock (_lock)
        {
            if ((_wasCut && ++_gotThrough < _patience) || _size >= _refused - _size)
            {
                return;
            }

            _size = _size > long.MaxValue / 4 ? long.MaxValue : 2 * _size;
            _gotThrough = 0;
            _isTrial = _wasCut;
        }
    }

    /// <summary>Something in front of the server refused a request because of its size.</summary>
    /// <returns>Whether the next one is smaller.</returns>
    public bool Refuse(long bytes)
    {
        if (bytes <= minBytes)
        {
            return false;
        }

        lock (_lock)
        {
            _refused = Math.Min(_refused, bytes);
            _size = Math.Min(_size, Math.Clamp(bytes / 2, minBytes, MaxAfterRefusal));
            return true;
        }
    }

    /// <summary>A connection ended in a request: the next one brings at most half of what got through while it lived.</summary>
    public void Cut(long sent)
    {
        if (sent == 0)
        {
            // The server is away: that has nothing to do with sizes.
            return;
        }

        lock (_lock)
        {
            _patience = _isTrial ? Math.Min(2 * _patience, MaxPatience) : _patience;
            _isTrial = false;
            _size = Math.Min(_size, Math.Max(minBytes, sent / 2));
            _wasCut = true;
            _gotThrough = 0;
        }
    }
}
