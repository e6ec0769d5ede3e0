namespace Millrace.Lab.Comparing;

/// <summary>What `lab history --json` writes.</summary>
/// <param name="Problems">Files that could not be used, with the reason.</param>
/// <param name="Machines">One for each machine and suite.</param>
internal sealed record HistoryReport(IReadOnlyList<string> Problems, IReadOnlyList<MachineHistory> Machines);
