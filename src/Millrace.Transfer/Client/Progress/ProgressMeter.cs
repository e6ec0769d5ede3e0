namespace Millrace.Transfer;

/// <summary>Tells an <see cref="IProgress{T}"/> how far a transfer is: the first time, the last, and ten times a second.</summary>
/// <remarks>Several connections may report at once.</remarks>
internal sealed class ProgressMeter : IMeter
{
    /// <summary>Nobody reads faster, and a console takes long.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    private readonly IProgress<TransferProgress>? _progress;
    private readonly TimeProvider _clock;
    private readonly RateWindow? _rate;
    private readonly Lock _lock = new();
    private readonly long _started;
    private TimeSpan _next;
    private int _attempt = 1;

    public ProgressMeter(IProgress<TransferProgress>? progress, TimeProvider clock)
    {
        _progress = progress;
        _clock = clock;
        _started = clock.GetTimestamp();
        _rate = progress is null ? null : new RateWindow();
    }

    /// <summary>Bytes of the whole; null where nobody knows.</summary>
    public long? Total { get; set; }

    /// <summary>Another try began.</summary>
    public int Attempt
    {
        get => _attempt;
        set => _attempt = value;
    }

    void IMeter.Report(long transferred) => Report(transferred);

    /// <summary>So many bytes of the file are there.</summary>
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

        _progress.Report(new TransferProgress(transferred, Total, rate, elapsed, _attempt));
    }
}
