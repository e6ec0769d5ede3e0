using Millrace.Lab.Results;

namespace Millrace.Lab.Cli;

/// <summary>The exit codes of the laboratory's commands; docs/lab-files.md and docs/lab-compare.md list them.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    /// <summary>Wrong arguments, or something is missing. Nothing was measured.</summary>
    public const int CannotStart = 1;

    /// <summary>Measured, but a stated aim was missed, and the user asked for this code.</summary>
    public const int Missed = 2;

    /// <summary>A comparison found something slower.</summary>
    public const int SomethingSlower = 2;

    /// <summary>At least one case failed. The others were measured and written.</summary>
    public const int CaseFailed = 3;

    /// <summary>Nothing, or not everything, could be compared.</summary>
    public const int CannotCompare = 4;

    /// <summary>Stopped by Ctrl-C, as shells report SIGINT. What was measured until then is kept.</summary>
    public const int Stopped = 130;

    /// <summary>The exit code of a run that ended. An aim that was not measured is not missed.</summary>
    public static int Of(LabResults results, bool failUnder) =>
        results.Cases.Any(item => item.Error is not null) ? CaseFailed
        : failUnder && results.Bars.Any(bar => bar.Met == false) ? Missed
        : Success;
}
