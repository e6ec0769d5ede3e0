namespace Millrace.Lab.Suites.Transfers;

/// <summary>Between what a file is moved.</summary>
/// <param name="Folder">The laboratory's folder for transfers: see <see cref="TransferFolders"/>.</param>
/// <param name="Server">Where a server in a process of its own is; null for one that the benchmark starts in this process.</param>
/// <param name="Link">What is between the two; null for loopback alone.</param>
public sealed record TransferEnds(string Folder, Uri? Server, LinkRates? Link = null)
{
    /// <summary>How many processes the two ends are.</summary>
    public int Processes => Server is null ? 1 : 2;

    /// <summary>Which of a run's servers it is: 1 in this process, 2 in one of its own, 3 behind a link.</summary>
    internal int ServerNumber => Link is null ? Processes : ServerEnd.Far;

    public override string ToString() =>
        Server is null ? "one process" : Link is null ? "two processes" : $"two processes, {Link}";
}
