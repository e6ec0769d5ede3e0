namespace Millrace.Transfer.Server;

/// <summary>Spreads reads over time. Time without reads is not made up for. Not thread-safe.</summary>
internal sealed class ScrubPace(TimeProvider clock)
{
    /// <summary>A shorter lead or delay is not worth a timer.</summary>
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(20);

    private static readonly TimeSpan MaxCredit = TimeSpan.FromSeconds(1);

    private long _began = clock.GetTimestamp();
    private double _due;

    /// <summary>Counts bytes that were read.</summary>
    /// <param name="bytes">How many.</param>
    /// <param name="bytesPerSecond">The rate for these.</param>
    /// <returns>How long to wait before the next read.</returns>
    public TimeSpan Spend(long bytes, double bytesPerSecond)
    {
        _due += bytes / bytesPerSecond;
        double lead = _due - clock.GetElapsedTime(_began).TotalSeconds;
        if (lead < -MaxCredit.TotalSeconds)
        {
            (_began, _due) = (clock.GetTimestamp(), 0);
        }

        // A century is endless enough, and longer ones are no TimeSpan.
        return lead < Step.TotalSeconds ? TimeSpan.Zero : TimeSpan.FromSeconds(Math.Min(lead, 3e9));
    }
}
