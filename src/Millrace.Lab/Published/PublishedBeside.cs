namespace Millrace.Lab.Published;

/// <summary>A published ratio and that of this machine, of the same method with the same parameters.</summary>
/// <param name="Published">Its time by that of the published baseline.</param>
/// <param name="Ours">The median here by that of the row of the baseline.</param>
internal sealed record PublishedBeside(
    string Set, string Method, string OurMethod, CaseParameters Parameters, double Published, double Ours)
{
    // Of rows that were published without a buffer: what Millrace's suites use unless they compare buffers.
    private const int UsualBuffer = 65536;

    /// <summary>Everything that a run has in common with the published figures; the baselines, 1 on both sides, are left out.</summary>
    public static IReadOnlyList<PublishedBeside> Of(LabResults results) =>
        [.. Of(new SituatedCases(results)), .. OfUrlSession(new SituatedCases(results, ofUrlSession: true))];

    private static IEnumerable<PublishedBeside> Of(SituatedCases cases) =>
        from set in PublishedFigures.For(cases.Results.Suite)
        from table in set.Tables
        where table.TimeColumn is not null
        from row in table.Rows
        let baseline = Baseline(table, row)
        let ourMethod = row.OurMethod
        let ourBaseline = baseline.OurMethod
        where ourMethod is not null && ourBaseline is not null && ourMethod != ourBaseline
        let published = table.Ratio(row)
        where published is not null
        let mine = cases.All.Where(item => item.Method == ourMethod && Matches(item.Parameters, row.Parameters))
            .MinBy(item => item.Parameters.Buffer != UsualBuffer)
        where mine is not null
        let other = OfBaseline(cases, ourBaseline!, mine.Parameters)
        where other is not null
        select new PublishedBeside(set.Id, row.Method, ourMethod!, row.Parameters, published.Value, Figures.RatioOf(mine, other));

    // The very methods that were published, of a connection instead of a file.
    private static IEnumerable<PublishedBeside> OfUrlSession(SituatedCases cases) =>
        from set in PublishedFigures.For(cases.Results.Suite)
        from table in set.Tables
        where table.TimeColumn is not null
        from mine in cases.All
        let row = table.Rows.FirstOrDefault(row => row.OurMethod == Way.Of(mine).Name)
        where row is not null
        let baseline = Baseline(table, row)
        let other = cases.All.FirstOrDefault(item => Way.Of(item).Name == baseline.OurMethod && item.Parameters == mine.Parameters)
        where other is not null && other != mine
        where Matches(mine.Parameters, row.Parameters with { Source = null })
        select new PublishedBeside(
            set.Id, row.Method, mine.Method, mine.Parameters, table.Ratio(row)!.Value, Figures.RatioOf(mine, other));

    // A case without a buffer, as all at once, is compared with the baseline's usual one.
    private static CaseResult? OfBaseline(SituatedCases cases, string baseline, CaseParameters parameters) =>
        cases.Find(baseline, parameters)
        ?? (parameters.Buffer is null ? cases.Find(baseline, parameters with { Buffer = UsualBuffer }) : null);

    // Published files were in the page cache, or were thought to be.
    private static bool Matches(CaseParameters mine, CaseParameters published) =>
        mine is { Cache: null or "hot", File: null, CacheFill: not "small writes", RoundTripMs: null }
        && mine is { Durability: null or "none", Digest: null or "none" }
        && Agree(mine.Buffer, published.Buffer)
        && Agree(mine.Bytes, published.Bytes)
        && Agree(mine.Options, published.Options)
        && Agree(mine.Direction, published.Direction)
        && Agree(mine.Compression, published.Compression)
        && Agree(mine.Processes, published.Processes)
        && Agree(mine.Source, published.Source)
        && Agree(mine.Readers ?? 1, published.Readers);

    private static bool Agree<T>(T mine, T published) => published is null || Equals(mine, published);

    private static PublishedRow Baseline(PublishedTable table, PublishedRow row) => table.Baseline is null
        ? table.Rows.MinBy(item => table.Figure(item, table.TimeColumn!))!
        : table.BaselineOf(row)!;
}
