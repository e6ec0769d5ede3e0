namespace Millrace.Lab.Suites.Transfers;

/// <summary>Between what a file is moved.</summary>
/// <param name="Folder">The laboratory's folder for transfers: see <see cref="TransferFolders"/>.</param>
/// <param name="Server">Where a server in a process of its own is; null for one that the benchmark starts in this process.</param>
public sealed record TransferEnds(string Folder, Uri? Server)
{
    /// <summary>How many processes the two ends are.</summary>
    public int Processes => Server is null ? 1 : 2;

    /// <inheritdoc/>
    public override string ToString() => Server is null ? "one process" : "two processes";
}
