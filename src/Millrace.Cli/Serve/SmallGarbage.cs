namespace Millrace.Cli.Serve;

/// <summary>
/// Collects the first generation before it has grown to the size of the processor's cache, which is the collector's own
/// idea of when to begin. A server makes some hundred bytes of garbage with every write that has to wait: with 200 downloads its
/// memory grew from 128 to 194 MB within 40 s, with three collections in all.
/// </summary>
internal sealed class SmallGarbage : IDisposable
{
    /// <summary>Bytes allocated after which it is worth a collection.</summary>
    private const long WorthIt = 4 * 1024 * 1024;

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Timer _timer;
    private long _collectedAt;

    public SmallGarbage() => _timer = new Timer(static state => ((SmallGarbage)state!).Collect(), this, Interval, Interval);

    public void Dispose() => _timer.Dispose();

    private void Collect()
    {
        long allocated = GC.GetTotalAllocatedBytes();
        if (allocated - _collectedAt >= WorthIt)
        {
            _collectedAt = allocated;
            GC.Collect(0, GCCollectionMode.Forced, blocking: true);
        }
    }
}
