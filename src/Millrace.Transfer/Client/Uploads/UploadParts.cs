namespace Millrace.Transfer;

/// <summary>The parts of a file that is uploaded over several connections, and who sends which. Thread-safe.</summary>
internal sealed class UploadParts
{
    /// <summary>A part is not shorter than this for the sake of more parts than connections.</summary>
    /// <remarks>Each costs two round trips; against the time that so many bytes take on a slow way they do not show.</remarks>
    public const long WorthMore = 8 * 1024 * 1024;

    /// <summary>Parts for each connection, where they are not too short.</summary>
    /// <remarks>So that the slowest connection does not delay the end for long.</remarks>
    private const int EachConnection = 4;

    /// <summary>Parts at most: the request that joins them names them all in one field.</summary>
    private const int Most = 256;

    private readonly Lock _lock = new();
    private readonly UploadPart[] _parts;
    private int _sending;
    private long _there;

    public UploadParts(IEnumerable<UploadPart> parts) => _parts = [.. parts];

    /// <summary>All of them, in the order of the file.</summary>
    public IReadOnlyList<UploadPart> All => _parts;

    /// <summary>Divides a file.</summary>
    public static UploadParts Of(long length, int connections)
    {
        long share = Divide(length, connections);
        long bytes = share <= WorthMore ? share : Math.Max(WorthMore, Divide(share, EachConnection));
        bytes = Math.Max(Math.Max(bytes, RangeRule.MinBytes), Divide(length, Most));
        int count = (int)Divide(length, bytes);
        return new UploadParts(
            Enumerable.Range(0, count).Select(i => new UploadPart(i * bytes, Math.Min(bytes, length - (i * bytes)))));
    }

    /// <summary>Begins to send.</summary>
    public void Enter()
    {
        lock (_lock)
        {
            _sending++;
        }
    }

    /// <summary>Stops sending if another connection sends; otherwise it goes on.</summary>
    public bool TryLeave(UploadPart part)
    {
        lock (_lock)
        {
            if (_sending == 1)
            {
                return false;
            }

            _sending--;
            part.IsTaken = false;
            return true;
        }
    }

    /// <summary>A part that is not being sent yet; null when there is none.</summary>
    public UploadPart? Take()
    {
        lock (_lock)
        {
            foreach (UploadPart part in _parts)
            {
                if (!part.IsTaken)
                {
                    part.IsTaken = true;
                    return part;
                }
            }

            // A connection that wants to leave now must not count on this one.
            _sending--;
            return null;
        }
    }

    /// <summary>So many more bytes are there; fewer when negative.</summary>
    /// <returns>Bytes that are there in all.</returns>
    public long Add(long bytes) => Interlocked.Add(ref _there, bytes);

    /// <summary>No connection sends any more: the next one asks the server first.</summary>
    public void Release()
    {
        lock (_lock)
        {
            _sending = 0;
            _there = 0;
            foreach (UploadPart part in _parts)
            {
                part.IsTaken = false;
                part.AskFirst = part.Upload is not null;
            }
        }
    }

    private static long Divide(long value, long by) => (value + by - 1) / by;
}

/// <summary>A part of a file that is uploaded separately. Changed by <see cref="UploadParts"/> and by the connection that took it.</summary>
internal sealed class UploadPart(long offset, long length)
{
    public long Offset { get; } = offset;

    public long Length { get; } = length;

    /// <summary>Where it is continued; null before it is begun.</summary>
    public Uri? Upload { get; set; }

    /// <summary>Whether the server has to say how much of it it has.</summary>
    public bool AskFirst { get; set; }

    /// <summary>Whether it is being sent, or was.</summary>
    public bool IsTaken { get; set; }
}

/// <summary>Adds how far one part is to how far all of them are.</summary>
internal sealed class PartMeter(UploadParts parts, ProgressMeter whole) : IMeter
{
    private long _last;

    public void Report(long transferred, bool last = false)
    {
        // After an interruption it goes back to the server's offset, and so does the sum.
        long sum = parts.Add(transferred - _last);
        _last = transferred;
        whole.Report(sum);
    }

    public void Move(int bytes) => whole.Move(bytes);
}
