namespace Millrace.Cli;

/// <summary>The exit codes; docs/copy.md, docs/scan.md, docs/put.md, docs/get.md, docs/ls.md and docs/verify.md list them.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    public const int CannotStart = 1;

    /// <summary>
    /// At least one file could not be uploaded, downloaded or deleted; the others were. The same as
    /// <see cref="CannotStart"/>: a script treats both alike.
    /// </summary>
    public const int TransferFailed = 1;

    /// <summary>At least one file could not be copied or scanned. The others were.</summary>
    public const int FileFailed = 3;

    /// <summary>Everything else was transferred, listed or deleted, but entries of a folder were left out, because of their names or their kind.</summary>
    public const int LeftOut = 4;

    /// <summary>There was nothing to sync, and the user wants to know.</summary>
    public const int NothingToDo = 5;

    public const int Stopped = 130;
}
