namespace Millrace.Transfer.Server;

/// <summary>How many requests of a connection run now. A feature of each connection; thread-safe.</summary>
internal sealed class StreamCount
{
    private int _running;

    public int Running => Volatile.Read(ref _running);

    public void Begin() => Interlocked.Increment(ref _running);

    public void End() => Interlocked.Decrement(ref _running);
}
