namespace Millrace.Lab.Cli;

/// <summary>The exit codes of the laboratory's commands; docs/lab-files.md and docs/lab-compare.md list them.</summary>
internal static class ExitCode
{
    public const int Success = 0;
    public const int CannotStart = 1;
    public const int Missed = 2;
    public const int SomethingSlower = 2;
    public const int CaseFailed = 3;

    /// <summary>Nothing, or not everything, could be compared.</summary>
    public const int CannotCompare = 4;
    public const int Stopped = 130;

    /// <summary>The exit code of a run that ended. A target that was not measured is not missed.</summary>
    public static int Of(LabResults results, bool failUnder) =>
        results.Cases.Any(item => item.Error is not null) ? CaseFailed
        : failUnder && results.Targets.Any(target => target.Met == false) ? Missed
        : Success;
}
