using Millrace.Lab.Advising;

namespace Millrace.Lab.Published;

/// <summary>A published ratio and that of this machine, of the same method with the same parameters.</summary>
/// <param name="Set">The short name of the published figures.</param>
/// <param name="Method">The method as published.</param>
/// <param name="OurMethod">The laboratory's row.</param>
/// <param name="Parameters">The parameters of the published row.</param>
/// <param name="Published">Its time by that of the published baseline.</param>
/// <param name="Ours">The median here by that of the row of the baseline.</param>
internal sealed record PublishedBeside(
    string Set, string Method, string OurMethod, PublishedParameters Parameters, double Published, double Ours)
{
    // Of rows that were published without a buffer: what Millrace's suites use unless they compare buffers.
    private const int UsualBuffer = 65536;

    /// <summary>All that a run has in common with what was published; the baselines, 1 on both sides, are left out.</summary>
    public static IReadOnlyList<PublishedBeside> Of(LabResults results)
    {
        ArgumentNullException.ThrowIfNull(results);
        var cases = new SituatedCases(results);
        return
        [
            .. from set in PublishedFigures.For(results.Suite)
               from table in set.Tables
               where TimeOf(table) is not null
               from row in table.Rows
               let baseline = Baseline(table, row)
               let ourMethod = row.OurMethod
               let ourBaseline = baseline.OurMethod
               where ourMethod is not null && ourBaseline is not null && ourMethod != ourBaseline
               let published = Ratio(table, row, baseline)
               where published is not null
               let mine = cases.All.Where(item => item.Method == ourMethod && Matches(item.Parameters, row.Parameters))
                   .MinBy(item => item.Parameters.Buffer != UsualBuffer)
               where mine is not null
               let other = OfBaseline(cases, ourBaseline!, mine.Parameters)
               where other is not null
               select new PublishedBeside(
                   set.Id,
                   row.Method,
                   ourMethod!,
                   row.Parameters,
                   published.Value,
                   Figures.Median(mine) / Figures.Median(other)),
        ];
    }

    // A way without a buffer, as all at once, is held against the baseline's usual one.
    private static CaseResult? OfBaseline(SituatedCases cases, string baseline, CaseParameters parameters) =>
        cases.Find(baseline, parameters)
        ?? (parameters.Buffer is null ? cases.Find(baseline, parameters with { Buffer = UsualBuffer }) : null);

    // Published files were in the page cache, or were thought to be.
    private static bool Matches(CaseParameters mine, PublishedParameters published) =>
        mine is { Cache: null or "hot", File: null, CacheFill: not "small writes", RoundTripMs: null }
        && Equals(mine, "buffer", published.Buffer)
        && Equals(mine, "bytes", published.Bytes)
        && Equals(mine, "options", published.Options)
        && Equals(mine, "direction", published.Direction)
        && Equals(mine, "compression", published.Compression)
        && Equals(mine, "processes", published.Processes)
        && mine is { Durability: null or "none", Digest: null or "none" }
        && Equals(mine, "source", published.Source)
        && (published.Readers is null || (mine.Readers ?? 1) == published.Readers);

    private static bool Equals(CaseParameters mine, string name, object? published) =>
        published is null || ParameterReader.Text(mine, name) == FormattableString.Invariant($"{published}");

    private static string? TimeOf(PublishedTable table) =>
        Array.Find(["mean", "wall"], name => table.Columns.Any(column => column.Name == name));

    // A table without ratios is held against its fastest row.
    private static PublishedRow Baseline(PublishedTable table, PublishedRow row) => table.Baseline is null
        ? table.Rows.MinBy(item => table.Figure(item, TimeOf(table)!))!
        : table.BaselineOf(row)!;

    private static double? Ratio(PublishedTable table, PublishedRow row, PublishedRow baseline) =>
        table.Baseline is null
            ? table.Figure(row, TimeOf(table)!) / table.Figure(baseline, TimeOf(table)!)
            : table.Figure(row, "ratio");
}
