using System.Globalization;
using Millrace.Lab.Advising;
using Millrace.Lab.Published;

namespace Millrace.Lab.Reporting;

/// <summary>What reports show beside the results themselves: advice, and what others published.</summary>
internal static class ReportSources
{
    private const string Ratio = "ratio";

    // Tables without a ratio are held against their fastest row, by the first of these columns that they have.
    private static readonly string[] Times = ["mean", "wall"];

    /// <summary>The advice that a run gives.</summary>
    public static IReadOnlyList<ReportAdvice> Advice(LabResults results) =>
    [
        .. from section in AdviceSections.Of(Advisor.Advise(results))
           from advice in section.Advice
           select new ReportAdvice(
            section.Title,
            advice.Title,
            [.. advice.Claim?.Reason is { } reason ? [reason] : Array.Empty<string>(), .. advice.EvidenceTexts],
            advice.Action,
            advice.Check,
            advice.Code,
               advice.Claim is not null),
    ];

    /// <summary>The published figures of the suites of some runs, a table each.</summary>
    public static IReadOnlyList<ReportPublished> Published(IReadOnlyList<LabResults> runs)
    {
        ArgumentNullException.ThrowIfNull(runs);
        return
        [
            .. from suite in runs.Select(run => run.Suite).Distinct()
               from set in PublishedFigures.For(suite)
               from table in set.Tables
               let rows = Rows(table)
               where rows.Count > 0
               select new ReportPublished(
                   set.Tables.Count == 1 ? set.Title : $"{set.Title}: {table.Name}",
                   set.Source,
                   $"{table.Machine}; {table.Runtime}; {table.Engine}. {string.Join(" ", set.Notes)}",
                   rows),
        ];
    }

    private static List<ReportPublishedRow> Rows(PublishedTable table)
    {
        string? time = Array.Find(Times, name => table.Columns.Any(column => column.Name == name));
        double? fastest = table.Baseline is null && time is not null
            ? table.Rows.Min(row => table.Figure(row, time))
            : null;
        return
        [
            .. from row in table.Rows
               let ratio = fastest is null ? table.Figure(row, Ratio) : table.Figure(row, time!) / fastest
               where ratio is not null
               select new ReportPublishedRow(row.Method, row.OurMethod, Parameters(row.Parameters), ratio.Value),
        ];
    }

    private static SortedDictionary<string, string> Parameters(PublishedParameters parameters)
    {
        var texts = new SortedDictionary<string, string>(StringComparer.Ordinal);
        Add("buffer", parameters.Buffer?.ToString(CultureInfo.InvariantCulture));
        Add("bytes", parameters.Bytes?.ToString(CultureInfo.InvariantCulture));
        Add("options", parameters.Options);
        Add("direction", parameters.Direction);
        Add("compression", parameters.Compression);

        // Not a parameter of the laboratory's rows, which the report matches by name: their method says it.
        Add("mode", parameters.Transport);
        Add("processes", parameters.Processes?.ToString(CultureInfo.InvariantCulture));
        Add("source", parameters.Source);
        Add("readers", parameters.Readers?.ToString(CultureInfo.InvariantCulture));
        return texts;

        void Add(string name, string? value)
        {
            if (value is not null)
            {
                texts[name] = value;
            }
        }
    }
}
