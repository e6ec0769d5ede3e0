
namespace Millrace.Lab.Advising.Claims;

/// <summary>"Two or three readers at once reach the limit; one for every processor does not scale."</summary>
internal sealed class ReadersClaim : IAdviceRule
{
    private const string Says = "Two or three readers at once reach the limit, and one for every processor does not scale";
    private const int Few = 3;

    // Three readers reach the limit when more of them bring less than this.
    private const double Reached = 0.9;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases) =>
    [
        Judge(cases.Results, [
            .. from item in cases.All
               let readers = item.Parameters.Readers
               where readers is not null && item.Parameters.Cache is null or "hot"
               select (readers.Value, item),
        ]),
    ];

    /// <summary>Judges by cases that differ in how many read at once, each all of it: the fastest method of each source.</summary>
    internal static Advice Judge(LabResults results, IReadOnlyList<(int Readers, CaseResult Case)> measured)
    {
        (int Readers, CaseResult Case)[][] ways =
        [
            .. measured.GroupBy(item => (item.Case.Method, item.Case.Parameters with { Readers = null }))
                .Select(way => way.OrderBy(item => item.Readers).ToArray())
                .Where(way => way.Length > 1 && way[0].Readers == 1 && way[^1].Readers > Few)
                .GroupBy(way => way[0].Case.Parameters.Source)
                .Select(source => source.MinBy(way => Figures.Median(way[0].Case))!),
        ];
        if (ways.Length == 0)
        {
            return ClaimAdvice.CannotBeTold(
                "readers",
                PublishedRange.UrlBytes,
                Says,
                $"one, a few and more than {Few} readers at once; "
                    + (measured.Count == 0 ? $"the suite \"{results.Suite}\" reads with one" : "quick mode reads with one"),
                CheckCommand.Full(results));
        }

        bool holds = ways.All(way => FewOf(way) >= Reached * way.Max(item => Speed(way, item)));
        return ClaimAdvice.Make(
            "readers",
            PublishedRange.UrlBytes,
            Says,
            holds ? Holds.Yes : Holds.No,
            string.Join(" ", ways.Select(Reason)),
            [
                .. from way in ways
                   from item in way
                   select new AdviceEvidence(
                       Figures.Id(item.Case),
                       $"{Figures.Time(item.Case)}, {Figures.Ratio(Speed(way, item))} times the bytes of one"),
            ],
            holds ? "Read two or three files at once, not one for every processor." : "Read more files at once: it still pays here.",
            null,
            CheckCommand.Again(results, ways.Select(way => way[0].Case.Method).Distinct()));
    }

    private static double Speed((int Readers, CaseResult Case)[] way, (int Readers, CaseResult Case) item) =>
        item.Readers * Figures.Median(way[0].Case) / Figures.Median(item.Case);

    private static double FewOf((int Readers, CaseResult Case)[] way) =>
        way.Where(item => item.Readers <= Few).Max(item => Speed(way, item));

    private static string Reason((int Readers, CaseResult Case)[] way)
    {
        string begin = way[0].Case.Parameters.Source is { } source ? $"{source}: up to" : "Up to";
        return $"{begin} {Few} readers move {Figures.Ratio(FewOf(way))} times the bytes of one in the same time; the most that any "
            + $"number moves is {Figures.Ratio(way.Max(item => Speed(way, item)))} times.";
    }
}
