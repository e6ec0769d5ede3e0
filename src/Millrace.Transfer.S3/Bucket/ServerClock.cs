namespace Millrace.Transfer.S3;

/// <summary>The time of the object store, as far as it was learned. Thread-safe.</summary>
internal sealed class ServerClock(Bucket bucket, Keys keys, TimeProvider clock)
{
    private long _skewTicks;

    public DateTimeOffset Now => clock.GetUtcNow().AddTicks(Interlocked.Read(ref _skewTicks));

    /// <summary>Learns the time from an object that was written just now.</summary>
    public async ValueTask AdjustAsync(CancellationToken cancellationToken)
    {
        if (clock != TimeProvider.System)
        {
            return;
        }

        await bucket.WriteAsync(keys.Clock, default, cancellationToken);
        DateTimeOffset before = clock.GetUtcNow();
        if ((await bucket.HeadAsync(keys.Clock, cancellationToken))?.LastModified is { } there)
        {
            TimeSpan skew = FileMetadata.Time(there) - before;

            // HEAD has whole seconds, and requests take time.
            Interlocked.Exchange(ref _skewTicks, skew.Duration() < TimeSpan.FromSeconds(2) ? 0 : skew.Ticks);
        }
    }
}
