using Millrace.Lab.Meters;

namespace Millrace.Lab.Running;

/// <summary>What was measured of one invocation.</summary>
/// <param name="Round">In which round, from 0.</param>
/// <param name="WallNs">From before the call until completion, in nanoseconds, as BenchmarkDotNet's engine measured it.</param>
/// <param name="Used">What the whole process used meanwhile.</param>
/// <param name="CallingThreadNs">Inside the calls that read, in nanoseconds; 0 when not measured.</param>
/// <param name="Violation">What was wrong with the state before it; null when nothing was.</param>
/// <param name="Server">What a server in a process of its own used meanwhile; null when there is none.</param>
/// <param name="LinkShare">The part of a link's bandwidth that it used after its first second; null without one.</param>
internal readonly record struct Sample(
    int Round,
    double WallNs,
    ProcessCounters Used,
    long CallingThreadNs,
    string? Violation,
    ServerUse? Server = null,
    double? LinkShare = null);
