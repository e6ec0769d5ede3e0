namespace Millrace.Transfer.Server;

/// <summary>A page of a listing.</summary>
/// <param name="Entries">In the order of their names.</param>
/// <param name="Next">What to continue with; <c>default</c> (the root) at the end.</param>
public sealed record FilePage(IReadOnlyList<FileEntry> Entries, TransferName Next);
