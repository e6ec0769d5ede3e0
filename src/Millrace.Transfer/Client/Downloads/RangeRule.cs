namespace Millrace.Transfer;

/// <summary>
/// When several connections are worth it: the way is long, so that a window's worth is little for each round trip, and what
/// is left takes long enough to gain from more of them.
/// </summary>
internal static class RangeRule
{
    /// <summary>Below this a round trip costs less than another connection's beginning.</summary>
    public static readonly TimeSpan MinRoundTrip = TimeSpan.FromMilliseconds(10);

    /// <summary>How long one connection is watched first: windows open in that time.</summary>
    public static readonly TimeSpan Watched = TimeSpan.FromSeconds(1);

    /// <summary>What is left has to take at least this long.</summary>
    public static readonly TimeSpan MinLeft = TimeSpan.FromSeconds(2);

    /// <summary>A range that takes less than a few round trips is not divided any further.</summary>
    public const long MinBytes = 1024 * 1024;

    /// <summary>Whether the rest is fetched by several connections.</summary>
    /// <param name="roundTrip">How long the answer took.</param>
    /// <param name="moved">Bytes since then.</param>
    /// <param name="elapsed">Time since then.</param>
    /// <param name="left">Bytes that are left.</param>
    public static bool IsWorthIt(TimeSpan roundTrip, long moved, TimeSpan elapsed, long left) =>
        roundTrip >= MinRoundTrip
        && elapsed >= Watched
        && left >= 2 * MinBytes
        && left > moved / elapsed.TotalSeconds * MinLeft.TotalSeconds;
}
