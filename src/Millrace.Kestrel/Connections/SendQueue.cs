using System.Collections.Concurrent;

namespace Millrace.Kestrel;

/// <summary>
/// Sends what connections flushed, on a thread of the pool, one connection after the other. While requests wait to be handled, they go first: a
/// response may grow by a second flush, and a peer that is busy with one response need not be woken up for each of the next. Waking it costs
/// more than sending.
/// </summary>
internal sealed class SendQueue : IThreadPoolWorkItem
{
    /// <summary>As many as can run; more than 16 gain nothing, as in Kestrel's transport.</summary>
    private static readonly SendQueue[] All =
        [.. Enumerable.Range(0, Math.Min(Environment.ProcessorCount, 16)).Select(_ => new SendQueue())];

    private static uint s_next;

    private readonly ConcurrentQueue<SocketOutput> _waiting = new();
    private int _runs;

    /// <summary>One of them, for a new connection.</summary>
    public static SendQueue Next() => All[Interlocked.Increment(ref s_next) % All.Length];

    public void Add(SocketOutput output)
    {
        _waiting.Enqueue(output);
        if (Interlocked.Exchange(ref _runs, 1) == 0)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        do
        {
            while (_waiting.TryDequeue(out SocketOutput? output))
            {
                output.SendFlushed();
            }

            // A full fence: a later caller either sees that this has ended, or is seen.
            Interlocked.Exchange(ref _runs, 0);
        }
        while (!_waiting.IsEmpty && Interlocked.Exchange(ref _runs, 1) == 0);
    }
}
