using System.Globalization;

namespace Millrace.Transfer;

/// <summary>
/// The field <c>grpc-timeout</c>: up to eight digits and a unit, H, M, S, m, u or n ("gRPC over HTTP2", section Requests).
/// </summary>
internal static class GrpcTimeout
{
    private const int MaxDigits = 8;
    private const long MaxValue = 99_999_999;

    /// <summary>Reads it.</summary>
    /// <returns>False when it is not one.</returns>
    public static bool TryParse(string? text, out TimeSpan timeout)
    {
        timeout = default;
        if (text is null || text.Length is < 2 or > MaxDigits + 1
            || !long.TryParse(text.AsSpan(0, text.Length - 1), NumberStyles.None, CultureInfo.InvariantCulture, out long value))
        {
            return false;
        }

        long ticks = text[^1] switch
        {
            'H' => TimeSpan.TicksPerHour,
            'M' => TimeSpan.TicksPerMinute,
            'S' => TimeSpan.TicksPerSecond,
            'm' => TimeSpan.TicksPerMillisecond,
            'u' => TimeSpan.TicksPerMicrosecond,
            'n' => 0,
            _ => -1,
        };
        if (ticks < 0)
        {
            return false;
        }

        timeout = ticks == 0 ? TimeSpan.FromTicks(value / TimeSpan.NanosecondsPerTick) : TimeSpan.FromTicks(value * ticks);
        return true;
    }

    /// <summary>Writes it, in the finest unit that holds it; rounded up, as a shorter time would end calls too early.</summary>
    public static string Format(TimeSpan timeout)
    {
        long ticks = Math.Clamp(timeout.Ticks, 0, long.MaxValue - TimeSpan.TicksPerMicrosecond);
        long microseconds = (ticks + TimeSpan.TicksPerMicrosecond - 1) / TimeSpan.TicksPerMicrosecond;
        (long Divisor, char Unit)[] units = [(1, 'u'), (1000, 'm'), (1_000_000, 'S'), (60_000_000, 'M'), (3_600_000_000, 'H')];
        foreach ((long divisor, char unit) in units)
        {
            long value = (microseconds + divisor - 1) / divisor;
            if (value <= MaxValue)
            {
                return string.Create(CultureInfo.InvariantCulture, $"{value}{unit}");
            }
        }

        return $"{MaxValue}H";
    }
}
