using Millrace.Lab.Suites;

namespace Millrace.Lab.Reporting;

/// <summary>The result of a run in a sentence, in today's words whenever it was measured.</summary>
internal static class ReportedFinding
{
    /// <returns>The stored sentence where the suite has none for these cases; null without either.</returns>
    public static string? Of(LabResults results) => results.Purpose is null
        ? SuiteCatalog.All.FirstOrDefault(suite => suite.Name == results.Suite)?.Finding(results) ?? results.Finding
        : results.Finding;
}
