using System.Diagnostics;

namespace Millrace.Lab.Running;

/// <summary>The time that a whole run may take.</summary>
internal sealed class RunClock
{
    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private readonly TimeSpan? _limit;

    /// <summary>Starts the clock.</summary>
    /// <param name="limit">After which nothing new begins; null for a run that takes as long as it takes.</param>
    public RunClock(TimeSpan? limit) => _limit = limit;

    /// <summary>Since the start.</summary>
    public TimeSpan Elapsed => _watch.Elapsed;

    /// <summary>Whether the limit has been reached.</summary>
    public bool IsOver => _limit is { } limit && _watch.Elapsed >= limit;

    /// <summary>What the parts of the run after the current one are expected to take.</summary>
    public TimeSpan AfterThisGroup { get; set; }

    /// <summary>The most that can be left; null without a limit.</summary>
    public TimeSpan? Left => _limit is { } limit ? limit - _watch.Elapsed : null;
}
