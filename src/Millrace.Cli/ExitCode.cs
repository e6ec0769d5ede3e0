using Millrace.Lab.Results;

namespace Millrace.Cli;

/// <summary>
/// What the command returns; docs/lab-files.md, docs/lab-compare.md, docs/copy.md, docs/scan.md, docs/put.md,
/// docs/get.md and docs/ls.md list them.
/// </summary>
internal static class ExitCode
{
    /// <summary>Done.</summary>
    public const int Success = 0;

    /// <summary>Wrong arguments, or something that it needs is missing. Nothing was done.</summary>
    public const int CannotStart = 1;

    /// <summary>
    /// At least one file could not be uploaded, downloaded or deleted; the others were. The same as
    /// <see cref="CannotStart"/>: for a script, one file that was not moved and one that could not be are the same.
    /// </summary>
    public const int TransferFailed = 1;

    /// <summary>Measured, but a stated aim was missed, and the user asked to be told so.</summary>
    public const int Missed = 2;

    /// <summary>A comparison found something slower.</summary>
    public const int SomethingSlower = 2;

    /// <summary>At least one file could not be copied or scanned. The others were.</summary>
    public const int FileFailed = 3;

    /// <summary>At least one case failed. The others were measured and written.</summary>
    public const int CaseFailed = 3;

    /// <summary>There is nothing that could be compared, or not all of it.</summary>
    public const int CannotCompare = 4;

    /// <summary>Stopped by Ctrl-C. What was measured or copied until then is there. As shells report SIGINT.</summary>
    public const int Stopped = 130;

    /// <summary>What a run that came to its end comes to.</summary>
    /// <param name="results">What was measured.</param>
    /// <param name="failUnder">Whether a missed aim counts. One that was not measured is not missed.</param>
    public static int Of(LabResults results, bool failUnder) =>
        results.Cases.Any(item => item.Error is not null) ? CaseFailed
        : failUnder && results.Bars.Any(bar => bar.Met == false) ? Missed
        : Success;
}
