namespace Millrace.Lab.Running;

/// <summary>What a benchmark class tells about its last invocation, beyond what can be measured from outside.</summary>
public interface IMeasuredBenchmark
{
    /// <summary>
    /// Stopwatch ticks that threads spent inside the calls that read, without what was awaited; 0 when not measured.
    /// </summary>
    long CallingThreadTicks { get; }

    /// <summary>Asks the next invocation to fill the description; off while measuring.</summary>
    bool DescribesItself { get; set; }

    /// <summary>What the method chose to do, for example a strategy; null when it has no choice.</summary>
    string? Description { get; }

    /// <summary>Why it chose that.</summary>
    string? DescriptionReason { get; }
}
