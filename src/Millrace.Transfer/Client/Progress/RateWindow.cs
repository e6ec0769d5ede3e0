namespace Millrace.Transfer;

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
