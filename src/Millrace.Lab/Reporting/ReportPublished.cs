namespace Millrace.Lab.Reporting;

/// <summary>Figures that somebody else published, to be shown beside this machine's.</summary>
/// <param name="Title">What the table is called.</param>
/// <param name="Source">The address of the project that published it.</param>
/// <param name="Notes">What a reader has to know: machine, year, what is compared with what.</param>
/// <param name="Rows">Its figures.</param>
internal sealed record ReportPublished(string Title, string Source, string Notes, IReadOnlyList<ReportPublishedRow> Rows);
