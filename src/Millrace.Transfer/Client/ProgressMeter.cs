namespace Millrace.Transfer;

/// <summary>Tells an <see cref="IProgress{T}"/> how far a transfer is: the first time, the last, and ten times a second.</summary>
/// <remarks>Several connections may report at once.</remarks>
internal sealed class ProgressMeter : IMeter
{
    /// <summary>Users do not read faster, and a console is slow.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    private readonly IProgress<TransferProgress>? _progress;
    private readonly TimeProvider _clock;
    private readonly RateWindow? _rate;
    private readonly Lock _lock = new();
    private readonly long _started;
    private TimeSpan _next;
    private int _attempts = 1;
    private long _moved;

    public ProgressMeter(IProgress<TransferProgress>? progress, TimeProvider clock)
    {
        _progress = progress;
        _clock = clock;
        _started = clock.GetTimestamp();
        _rate = progress is null ? null : new RateWindow();
    }

    /// <summary>Total bytes; null where unknown.</summary>
    public long? Total { get; set; }

    /// <summary>Attempts so far, the running one included.</summary>
    public int Attempts => _attempts;

    /// <summary>Bytes that were sent or received, more than once where an attempt was in vain.</summary>
    public long Moved => Interlocked.Read(ref _moved);

    /// <summary>Another attempt begins.</summary>
    public void Retry() => Interlocked.Increment(ref _attempts);

    public void Move(int bytes) => Interlocked.Add(ref _moved, bytes);

    public void Report(long transferred, bool last = false)
    {
        if (_progress is null)
        {
            return;
        }

        TimeSpan elapsed = _clock.GetElapsedTime(_started);
        double rate;
        lock (_lock)
        {
            if (!last && elapsed < _next)
            {
                return;
            }

            _next = elapsed + Interval;
            rate = _rate!.Add(elapsed, transferred);
        }

        _progress.Report(new TransferProgress(transferred, Total, rate, elapsed, _attempts));
    }
}

/// <summary>Receives progress.</summary>
internal interface IMeter
{
    /// <summary>So many bytes of it are there.</summary>
    void Report(long transferred, bool last = false);

    /// <summary>So many bytes are sent or received.</summary>
    void Move(int bytes);
}

/// <summary>The rate of the last seconds: the current speed as a user sees it.</summary>
internal sealed class RateWindow
{
    /// <summary>Long enough that one pause does not show as zero, short enough that a slower way shows soon.</summary>
    public static readonly TimeSpan Span = TimeSpan.FromSeconds(4);

    private readonly Queue<(TimeSpan Elapsed, long Bytes)> _samples = new();

    /// <summary>Bytes per second since the oldest sample of the window.</summary>
    public double Add(TimeSpan elapsed, long bytes)
    {
        _samples.Enqueue((elapsed, bytes));
        while (_samples.Count > 2 && elapsed - _samples.Peek().Elapsed > Span)
        {
            _samples.Dequeue();
        }

        double seconds = (elapsed - _samples.Peek().Elapsed).TotalSeconds;
        return seconds > 0 ? Math.Max(0, bytes - _samples.Peek().Bytes) / seconds : 0;
    }
}
