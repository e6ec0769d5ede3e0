using Millrace.Lab.Results;

namespace Millrace.Lab.Running;

/// <summary>What one process measured of one case.</summary>
/// <param name="Plan">The case's index in the suite's plan, the same in every process.</param>
/// <param name="Case">Samples without a summary; neither when no sample was taken.</param>
internal sealed record LaunchCase(int Plan, CaseResult Case);
