namespace Millrace.Lab.Comparing;

/// <summary>What `lab compare --json` writes.</summary>
/// <param name="ExitCode">What the command returns.</param>
/// <param name="Problems">Files and suites that could not be used, with the reason.</param>
/// <param name="Comparisons">One for each run and suite that was compared with the reference.</param>
internal sealed record ComparisonReport(int ExitCode, IReadOnlyList<string> Problems, IReadOnlyList<RunComparison> Comparisons);
