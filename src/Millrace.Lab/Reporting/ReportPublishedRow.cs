namespace Millrace.Lab.Reporting;

/// <summary>One published figure.</summary>
/// <param name="Method">The method, by its published name.</param>
/// <param name="OurMethod">The method of the laboratory that it corresponds to; null where there is none.</param>
/// <param name="Parameters">
/// Its parameters by the names of the laboratory's own, numbers in the same units ("buffer": "4096"). The case with the
/// same ones is shown beside it.
/// </param>
/// <param name="Ratio">Its time by that of the table's baseline; below 1 is faster.</param>
internal sealed record ReportPublishedRow(
    string Method, string? OurMethod, IReadOnlyDictionary<string, string> Parameters, double Ratio);
