namespace Millrace.Transfer;

/// <summary>Watches one connection's upload for <see cref="RangeRule"/>.</summary>
internal sealed class UploadWatch(TimeProvider clock, TimeSpan roundTrip, long length)
{
    /// <summary>The first moments only fill this machine's buffers and show nothing about the network.</summary>
    public static readonly TimeSpan Settling = TimeSpan.FromMilliseconds(250);

    /// <summary>Bytes on their way at once: a connection that has so many is held up by the way, not by a window.</summary>
    /// <remarks>
    /// Half of the 4 MiB that Linux lets a connection send ahead (net.ipv4.tcp_wmem), which counts more than the bytes. On
    /// 1 Gbit/s at 60 ms, 512 MiB over HTTP/2 took 4.8 s over one connection and 7.0 s divided: docs/measuring.md.
    /// </remarks>
    public const long WideWindow = 2 * 1024 * 1024;

    private readonly long _begun = clock.GetTimestamp();
    private long _started;
    private long _first = -1;

    /// <summary>Whether <see cref="IsWorthIt"/> has found that several connections are worth it.</summary>
    public bool IsMet { get; private set; }

    /// <summary>Whether several connections are worth it.</summary>
    /// <param name="sent">Bytes of the file before the next one to send.</param>
    /// <remarks>
    /// The bytes of one connection are sent again by several: so at least half of the file must be left.
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
        TimeSpan elapsed = clock.GetElapsedTime(_started);
        return IsMet = left >= length / 2
            && RangeRule.IsWorthIt(roundTrip, sent - _first, elapsed, left)
            && (sent - _first) * (roundTrip / elapsed) < WideWindow;
    }
}
