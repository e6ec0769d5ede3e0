namespace Millrace.Lab.Running;

internal sealed record RunLimits
{
    public string Group { get; init; } = "";

    /// <summary>Rounds that are made however long they take, unless the time of the whole run is over.</summary>
    public required int MinRounds { get; init; }
    public required int MaxRounds { get; init; }
    public required TimeSpan Time { get; init; }

    /// <summary>Time of a case's own invocations after which it gets no more than the minimum of rounds.</summary>
    public TimeSpan CaseTime { get; init; } = TimeSpan.MaxValue;

    /// <summary>Invocations shorter than this in total are repeated within one visit, up to <see cref="MaxPerVisit"/>.</summary>
    public TimeSpan VisitTime { get; init; } = TimeSpan.FromMilliseconds(8);
    public int MaxPerVisit { get; init; } = 4;

    /// <summary>Whether the rounds and <see cref="CaseTime"/> are those of all launches together.</summary>
    public bool OfAllLaunches { get; init; }

    /// <summary>Whether allocations, system calls and objects are counted after the rounds.</summary>
    public bool WithPasses { get; init; } = true;

    public RunLimits OfOne(int launches) => !OfAllLaunches ? this : this with
    {
        MinRounds = Math.Max(1, (MinRounds + launches - 1) / launches),
        MaxRounds = Math.Max(1, (MaxRounds + launches - 1) / launches),
        CaseTime = CaseTime / launches,
    };
}

internal sealed record SuiteLimits
{
    /// <summary>The whole run with <see cref="Launches"/>; null for no limit.</summary>
    public TimeSpan? Total { get; init; }
    public int Launches { get; init; } = 3;
    public int WarmUpPhases { get; init; } = WarmUp.MaxPhases;

    /// <summary>The groups, in the order in which a launch measures them.</summary>
    public required IReadOnlyList<RunLimits> Groups { get; init; }
}

/// <param name="limit">After which nothing new begins; null for no limit.</param>
internal sealed class RunClock(TimeSpan? limit)
{
    private readonly Stopwatch _watch = Stopwatch.StartNew();

    public TimeSpan Elapsed => _watch.Elapsed;

    public bool IsOver => limit is { } most && _watch.Elapsed >= most;

    /// <summary>The expected time of the parts of the run after the current one.</summary>
    public TimeSpan AfterThisGroup { get; set; }

    /// <summary>The longest that can be left; null without a limit.</summary>
    public TimeSpan? Left => limit is { } most ? most - _watch.Elapsed : null;
}
