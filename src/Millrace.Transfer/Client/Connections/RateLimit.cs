namespace Millrace.Transfer;

/// <summary>Keeps the bytes that all transfers of a client send and receive below a rate, in the order in which they come. Thread-safe.</summary>
internal sealed class RateLimit(long bytesPerSecond, TimeProvider clock)
{
    /// <summary>How long a piece lasts at most, so that several transfers take turns.</summary>
    private static readonly TimeSpan Piece = TimeSpan.FromMilliseconds(125);

    private readonly Lock _lock = new();
    private RatePace _pace = new(bytesPerSecond, clock.TimestampFrequency);

    /// <summary>The most bytes to move at once.</summary>
    public int MaxBytes { get; } = (int)Math.Clamp(bytesPerSecond * Piece.TotalSeconds, 1, ContentSource.BlockBytes);

    /// <summary>Waits until so many bytes may be moved.</summary>
    public ValueTask WaitAsync(int bytes, CancellationToken cancellationToken) =>
        Reserve(bytes) is var wait && wait > TimeSpan.Zero ? new ValueTask(Task.Delay(wait, clock, cancellationToken)) : default;

    /// <summary>Takes the time that so many bytes last.</summary>
    /// <returns>How long to wait until they may be moved. Time in which nothing moved is not made up for.</returns>
    public TimeSpan Reserve(int bytes)
    {
        lock (_lock)
        {
            long now = clock.GetTimestamp();
            return clock.GetElapsedTime(now, _pace.Reserve(bytes, now));
        }
    }
}
