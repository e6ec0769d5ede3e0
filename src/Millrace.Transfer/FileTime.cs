using System.Globalization;

namespace Millrace.Transfer;

/// <summary>
/// When a file was last changed: to the nanosecond, as file systems have it, which <see cref="DateTimeOffset"/> cannot keep.
/// From the beginning of the year 1 to the end of 9999, the years that every protocol here has.
/// </summary>
public readonly record struct FileTime
{
    private const int NanosecondsPerSecond = 1_000_000_000;
    private const int FractionDigits = 9;

    private static readonly long MinSeconds = DateTimeOffset.MinValue.ToUnixTimeSeconds();
    private static readonly long MaxSeconds = DateTimeOffset.MaxValue.ToUnixTimeSeconds();

    /// <summary>A time; one outside the years 1 to 9999 becomes the nearest one in them.</summary>
    /// <param name="seconds">Seconds since the beginning of 1970 in UTC, rounded down; negative before it.</param>
    /// <param name="nanoseconds">What follows them, 0 to 999,999,999.</param>
    /// <exception cref="ArgumentOutOfRangeException">The nanoseconds are a second or more, or negative.</exception>
    public FileTime(long seconds, int nanoseconds)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(nanoseconds);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(nanoseconds, NanosecondsPerSecond);
        Seconds = Math.Clamp(seconds, MinSeconds, MaxSeconds);
        Nanoseconds = seconds < MinSeconds ? 0 : seconds > MaxSeconds ? NanosecondsPerSecond - 1 : nanoseconds;
    }

    /// <summary>Seconds since the beginning of 1970 in UTC, rounded down; negative before it.</summary>
    public long Seconds { get; }

    /// <summary>What follows <see cref="Seconds"/>, 0 to 999,999,999.</summary>
    public int Nanoseconds { get; }

    /// <summary>The same time, which has no more than 100 nanoseconds.</summary>
    public static implicit operator FileTime(DateTimeOffset time) => FromDateTimeOffset(time);

    /// <summary>The same time, which has no more than 100 nanoseconds.</summary>
    public static FileTime FromDateTimeOffset(DateTimeOffset time) =>
        new(time.ToUnixTimeSeconds(), (int)(time.UtcTicks % TimeSpan.TicksPerSecond) * 100);

    /// <summary>The time rounded down to 100 nanoseconds, in UTC.</summary>
    public DateTimeOffset ToDateTimeOffset() => DateTimeOffset.FromUnixTimeSeconds(Seconds).AddTicks(Nanoseconds / 100);

    /// <summary>Reads seconds since 1970 as <see cref="ToString"/> writes them, with any number of digits after the point.</summary>
    /// <param name="text">For example <c>1700000000</c>, <c>1700000000.25</c> or <c>-0.5</c>. Digits below a nanosecond are left out.</param>
    /// <param name="time">The time.</param>
    /// <returns>False if it is something else, or not within the years 1 to 9999.</returns>
    public static bool TryParse(ReadOnlySpan<char> text, out FileTime time)
    {
        time = default;
        bool isBefore = text.StartsWith('-');
        text = isBefore ? text[1..] : text;
        int point = text.IndexOf('.');
        ReadOnlySpan<char> digits = point < 0 ? "" : text[(point + 1)..];
        if (!long.TryParse(point < 0 ? text : text[..point], NumberStyles.None, CultureInfo.InvariantCulture, out long seconds)
            || (point >= 0 && digits.IsEmpty) || digits.ContainsAnyExceptInRange('0', '9'))
        {
            return false;
        }

        int fraction = 0;
        for (int i = 0; i < FractionDigits; i++)
        {
            fraction = (fraction * 10) + (i < digits.Length ? digits[i] - '0' : 0);
        }

        if (isBefore)
        {
            seconds = -seconds - (fraction > 0 ? 1 : 0);
            fraction = fraction > 0 ? NanosecondsPerSecond - fraction : 0;
        }

        if (seconds < MinSeconds || seconds > MaxSeconds)
        {
            return false;
        }

        time = new FileTime(seconds, fraction);
        return true;
    }

    /// <summary>Seconds since 1970 with as many digits after the point as it needs, nine at most: <c>1700000000.25</c>.</summary>
    public override string ToString()
    {
        // The digits count away from 1970, on both sides of it.
        bool isBefore = Seconds < 0;
        int fraction = isBefore && Nanoseconds > 0 ? NanosecondsPerSecond - Nanoseconds : Nanoseconds;
        long whole = isBefore ? -Seconds - (Nanoseconds > 0 ? 1 : 0) : Seconds;
        string text = string.Create(CultureInfo.InvariantCulture, $"{(isBefore ? "-" : "")}{whole}.{fraction:D9}");
        return text.TrimEnd('0').TrimEnd('.');
    }
}
