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

/// <summary>Is told how far something is.</summary>
internal interface IMeter
{
    /// <summary>So many bytes of it are there.</summary>
    void Report(long transferred);
}

/// <summary>The rate of the last seconds: what a person means by "how fast is it now".</summary>
internal sealed class RateWindow
{
    /// <summary>Long enough that one pause does not show as zero, short enough that a slower way shows soon.</summary>
    public static readonly TimeSpan Span = TimeSpan.FromSeconds(4);

    private const int Samples = 48;

    private readonly TimeSpan[] _times = new TimeSpan[Samples];
    private readonly long[] _bytes = new long[Samples];
    private int _first;
    private int _count;

    /// <summary>Bytes per second since the oldest sample of the window.</summary>
    /// <param name="elapsed">The time of the sample; not before the last one.</param>
    /// <param name="bytes">Bytes moved until then.</param>
    public double Add(TimeSpan elapsed, long bytes)
    {
        if (_count == Samples)
        {
            Drop();
        }

        int at = (_first + _count) % Samples;
        _times[at] = elapsed;
        _bytes[at] = bytes;
        _count++;
        while (_count > 2 && elapsed - _times[_first] > Span)
        {
            Drop();
        }

        double seconds = (elapsed - _times[_first]).TotalSeconds;
        return seconds > 0 ? Math.Max(0, bytes - _bytes[_first]) / seconds : 0;
    }

    private void Drop()
    {
        _first = (_first + 1) % Samples;
        _count--;
    }
}
