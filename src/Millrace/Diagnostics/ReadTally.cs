namespace Millrace.Diagnostics;

/// <summary>
/// What one reader has done since it last told the process-wide counters: plain fields, because an interlocked addition
/// per read would cost more than the read.
/// </summary>
internal struct ReadTally
{
    private const long FlushEvery = 4 * 1024 * 1024;

    /// <summary>Reads that had to wait.</summary>
    public long Asynchronous;

    private long _bytes;
    private long _fills;

    /// <summary>Counts bytes got from the source at once.</summary>
    public void Add(long bytes)
    {
        _bytes += bytes;
        _fills++;
        if (_bytes >= FlushEvery)
        {
            Flush();
        }
    }

    public void Flush()
    {
        MillraceEventSource.Log.Read(_bytes, Math.Max(0, _fills - Asynchronous), Asynchronous);
        this = default;
    }
}
