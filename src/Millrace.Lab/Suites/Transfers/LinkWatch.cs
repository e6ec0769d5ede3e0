namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// Finds out what part of a link a transfer used after its first second, in which connections are made and windows grow:
/// the file's bytes that were moved then, by the time that took, by the link's bandwidth.
/// </summary>
/// <remarks>
/// The interface's counter shows how much of a file was moved in the first second: the same part of the file as of all
/// that passed the link, headers included. The time ends when the transfer does, including its work after the last byte.
/// </remarks>
internal sealed class LinkWatch
{
    private const double BitsPerByte = 8;

    private readonly string _counter;
    private readonly long _bitsPerSecond;
    private readonly TimeSpan _beginning;
    private readonly Lock _gate = new();
    private int _invocation;
    private long _before;
    private (long Bytes, long Ticks)? _second;

    /// <param name="name">The interface.</param>
    /// <param name="direction">Which of its counters.</param>
    /// <param name="bitsPerSecond">The link's bandwidth.</param>
    /// <param name="beginning">The part of a transfer that is left out; null for its first second.</param>
    public LinkWatch(string name, TransferDirection direction, long bitsPerSecond, TimeSpan? beginning = null)
    {
        _counter = $"/sys/class/net/{name}/statistics/{(direction == TransferDirection.Download ? "rx" : "tx")}_bytes";
        _bitsPerSecond = bitsPerSecond;
        _beginning = beginning ?? TimeSpan.FromSeconds(1);
    }

    public void Begin()
    {
        lock (_gate)
        {
            _second = null;
            _before = Read();
            _ = NoteAsync(++_invocation);
        }
    }

    /// <returns>The part, 0 to 1; null of a transfer that ended in its beginning.</returns>
    public double? End(long fileBytes)
    {
        long now = Stopwatch.GetTimestamp();
        long end = Read();
        lock (_gate)
        {
            _invocation++;
            return _second is { } second && end > _before
                ? Share(fileBytes * ((double)(end - second.Bytes) / (end - _before)), Stopwatch.GetElapsedTime(second.Ticks, now))
                : null;
        }
    }

    private double Share(double bytes, TimeSpan time) => bytes * BitsPerByte / time.TotalSeconds / _bitsPerSecond;

    private async Task NoteAsync(int invocation)
    {
        await Task.Delay(_beginning).ConfigureAwait(false);
        lock (_gate)
        {
            if (invocation == _invocation)
            {
                _second = (Read(), Stopwatch.GetTimestamp());
            }
        }
    }

    private long Read() => long.Parse(File.ReadAllText(_counter), CultureInfo.InvariantCulture);
}
