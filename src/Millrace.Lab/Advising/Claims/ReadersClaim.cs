using Millrace.Lab.Results;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"Two or three readers at once reach the limit; one for every processor does not scale."</summary>
internal sealed class ReadersClaim : IAdviceRule
{
    private const string Says = "Two or three readers at once reach the limit, and one for every processor does not scale";
    private const int Few = 3;

    // Three readers reach the limit when more of them bring less than this.
    private const double Reached = 0.9;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(MeasuredCases cases) =>
    [
        Judge(cases.Results, [
            .. from item in cases.All
               let readers = ParameterReader.Number(item.Parameters, "readers")
               where readers is not null
               select ((int)readers.Value, item),
        ]),
    ];

    /// <summary>Judges by cases of one method that differ in how many read at once, each the whole file.</summary>
    internal static Advice Judge(LabResults results, IReadOnlyList<(int Readers, CaseResult Case)> measured)
    {
        (int Readers, CaseResult Case)[] best =
        [
            .. measured.GroupBy(item => item.Readers).Select(group => group.MinBy(item => Figures.Median(item.Case)))
                .OrderBy(item => item.Readers),
        ];
        if (best.Length < 2 || best[0].Readers != 1 || best[^1].Readers <= Few)
        {
            return ClaimAdvice.CannotBeTold(
                "readers",
                PublishedRange.UrlBytes,
                Says,
                $"one, a few and more than {Few} readers at once; the suite \"{results.Suite}\" reads with one",
                CheckCommand.Full(results));
        }

        double one = Figures.Median(best[0].Case);
        double Speed((int Readers, CaseResult Case) item) => item.Readers * one / Figures.Median(item.Case);
        double few = best.Where(item => item.Readers <= Few).Max(Speed);
        double most = best.Max(Speed);
        bool holds = few >= Reached * most;
        return ClaimAdvice.Make(
            "readers",
            PublishedRange.UrlBytes,
            Says,
            holds ? Holds.Yes : Holds.No,
            $"Up to {Few} readers move {Figures.Ratio(few)} times the bytes of one in the same time; the most that any number moves is "
                + $"{Figures.Ratio(most)} times.",
            [
                .. best.Select(item => new AdviceEvidence(
                    Figures.Id(item.Case),
                    $"{item.Readers} at once: {Figures.Time(item.Case)}, {Figures.Ratio(Speed(item))} times the bytes of one")),
            ],
            holds ? "Read two or three files at once, not one for every processor." : "Read more files at once: it still pays here.",
            null,
            CheckCommand.Again(results));
    }
}
