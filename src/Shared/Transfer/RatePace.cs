namespace Millrace.Transfer;

/// <summary>When the next bytes may move, so that a rate is kept. Not thread-safe; times are timestamps of a <see cref="TimeProvider"/>.</summary>
/// <remarks>The virtual scheduling of the generic cell rate algorithm (ITU-T I.371, annex A).</remarks>
/// <param name="bytesPerSecond">The rate; 0 for any.</param>
/// <param name="frequency">Timestamps of a second.</param>
internal struct RatePace(long bytesPerSecond, long frequency)
{
    /// <summary>The rate; 0 for any.</summary>
    public readonly long BytesPerSecond => bytesPerSecond;

    /// <summary>When the next bytes may move.</summary>
    public long Next { get; private set; } = long.MinValue;

    /// <summary>Takes the time that so many bytes last.</summary>
    /// <param name="bytes">Bytes to move.</param>
    /// <param name="now">The time.</param>
    /// <param name="slack">How much unused time before now may be made up for.</param>
    /// <returns>When they may move.</returns>
    public long Reserve(int bytes, long now, long slack = 0)
    {
        if (bytesPerSecond == 0)
        {
            return now;
        }

        long start = Math.Max(now - slack, Next);
        Next = start + TimeOf(bytes);
        return start;
    }

    /// <summary>Gives back the time of bytes that did not move.</summary>
    public void Return(int bytes)
    {
        if (bytesPerSecond != 0 && bytes > 0)
        {
            Next -= TimeOf(bytes);
        }
    }

    /// <summary>Whether bytes may move now.</summary>
    public readonly bool IsDue(long now) => bytesPerSecond == 0 || Next <= now;

    /// <summary>Whether at most so much time was taken in advance.</summary>
    public readonly bool IsWithin(long now, long debt) => bytesPerSecond == 0 || Next <= now + debt;

    private readonly long TimeOf(int bytes) => (long)(bytes * (double)frequency / bytesPerSecond);
}
