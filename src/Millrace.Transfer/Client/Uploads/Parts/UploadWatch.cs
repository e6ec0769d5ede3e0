namespace Millrace.Transfer;

/// <summary>Watches one connection's upload for <see cref="RangeRule"/>.</summary>
/// <param name="clock">The clock.</param>
/// <param name="roundTrip">How long an answer takes.</param>
/// <param name="length">Bytes of the file.</param>
internal sealed class UploadWatch(TimeProvider clock, TimeSpan roundTrip, long length)
{
    /// <summary>What the first moments take fills the buffers of this machine, and says nothing of the way.</summary>
    public static readonly TimeSpan Settling = TimeSpan.FromMilliseconds(250);

    private readonly long _begun = clock.GetTimestamp();
    private long _started;
    private long _first = -1;

    /// <summary>Whether several connections are worth it.</summary>
    /// <param name="sent">Bytes of the file in front of what is sent next.</param>
    /// <remarks>
    /// What one connection has brought is sent again by several: so half of the file at least must be left.
    /// </remarks>
    public bool IsWorthIt(long sent)
    {
        if (_first < 0)
        {
            if (clock.GetElapsedTime(_begun) >= Settling)
            {
                _first = sent;
                _started = clock.GetTimestamp();
            }

            return false;
        }

        long left = length - sent;
        return left >= length / 2
            && RangeRule.IsWorthIt(roundTrip, sent - _first, clock.GetElapsedTime(_started), left);
    }
}
