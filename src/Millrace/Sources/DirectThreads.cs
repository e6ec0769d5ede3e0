using System.Diagnostics.CodeAnalysis;

namespace Millrace.Sources;

/// <summary>
/// Reads with threads that wait, where there is no io_uring, and finishes for io_uring what has to be waited for.
/// </summary>
/// <remarks>
/// Threads of its own rather than the thread pool's: the pool has as many as there are processors to begin with, and
/// threads that wait for a disk are missing where the caller's own continuations run. See docs/direct.md.
/// </remarks>
internal sealed class DirectThreads : DirectEngine
{
    /// <summary>As many reads in flight as one reader makes use of.</summary>
    private const int MaxThreads = BlocksInFlight;

    /// <summary>A thread ends that had nothing to do for so long.</summary>
    private static readonly TimeSpan IdleTime = TimeSpan.FromSeconds(10);

    private readonly Queue<DirectSource> _sources = new();
    private readonly object _gate = new();
    private int _threads;
    private int _idle;

    /// <param name="whyNotRing">Why threads have to do; null for the threads that serve a ring.</param>
    public DirectThreads(string? whyNotRing)
    {
        Reason = $"O_DIRECT, {BlocksInFlight} threads ({whyNotRing})";
    }

    public override string Reason { get; }

    public override bool HasOwnThread => false;

    public override void Wake(DirectSource source)
    {
        lock (_gate)
        {
            if (source.WaitsForThread)
            {
                return;
            }

            source.WaitsForThread = true;
            _sources.Enqueue(source);
            if (_idle >= _sources.Count)
            {
                Monitor.Pulse(_gate);
            }
            else if (_threads < MaxThreads)
            {
                _threads++;
                new Thread(Run) { IsBackground = true, Name = "Millrace direct read" }.UnsafeStart();
            }
        }
    }

    private void Run()
    {
        while (TryTake(out DirectSource? source))
        {
            source.ReadNext(this);
        }
    }

    private bool TryTake([NotNullWhen(true)] out DirectSource? source)
    {
        lock (_gate)
        {
            bool waited = true;
            while (_sources.Count == 0)
            {
                if (!waited)
                {
                    _threads--;
                    source = null;
                    return false;
                }

                _idle++;
                waited = Monitor.Wait(_gate, IdleTime);
                _idle--;
            }

            source = _sources.Dequeue();
            source.WaitsForThread = false;
            return true;
        }
    }
}
