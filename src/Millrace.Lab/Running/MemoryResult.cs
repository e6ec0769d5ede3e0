namespace Millrace.Lab.Running;

/// <summary>The memory of a process that ran one case.</summary>
/// <param name="PeakResidentBytes">Its largest resident memory during the case.</param>
/// <param name="PeakOverIdleBytes">The same less what it had before.</param>
/// <param name="Reason">Why there are no numbers; null when there are.</param>
internal sealed record MemoryResult(long PeakResidentBytes, long PeakOverIdleBytes, string? Reason)
{
    /// <summary>No numbers.</summary>
    public static MemoryResult Unavailable(string reason) => new(0, 0, reason);
}
