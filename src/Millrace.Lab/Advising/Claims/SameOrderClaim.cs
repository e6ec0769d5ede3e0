using Millrace.Lab.Advising.Ways;
using Millrace.Lab.Published;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"What is good on one machine is good on the other": the order of their ways here.</summary>
internal sealed class SameOrderClaim : IAdviceRule
{
    // 0.97 between their two machines; below this, a way that is among the fast ones there is among the slow ones here.
    private const double SameOrder = 0.8;
    private const int MinWays = 5;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        IReadOnlyList<PublishedTable> machines = PublishedWays.Machines;
        string says = "The ways compare alike on different machines (rank correlation "
            + $"{Figures.Ratio(Correlation(machines[0], OfTable(machines[1])))} between the two there)";
        string check = CheckCommand.Again(cases.Results);
        (string Name, Dictionary<string, double> Times)[] sources =
        [
            .. WaySource.Of(cases).Select(source => (source.Name, Times: source.Cases.Where(item => PublishedWays.Has(item.Method))
                .ToDictionary(item => item.Method, Figures.Median))).Where(source => source.Times.Count >= MinWays),
        ];

        // They read a file; another source counts where the run has no file.
        string? judged = sources.Select(source => source.Name).Order(StringComparer.Ordinal).FirstOrDefault();
        if (judged is null)
        {
            return [ClaimAdvice.CannotBeTold("machines", PublishedRange.UrlBytes, says, $"{MinWays} or more of their ways", check)];
        }

        Dictionary<string, double> times = sources.First(source => source.Name == judged).Times;
        double least = machines.Min(table => Correlation(table, times));
        return
        [
            ClaimAdvice.Make(
                "machines",
                PublishedRange.UrlBytes,
                says,
                least >= SameOrder ? Holds.Yes : Holds.No,
                $"{judged}: the order of {times.Count} ways here has a rank correlation of {Figures.Ratio(least)} or more with theirs; "
                    + $"from {Figures.Ratio(SameOrder)} on it is the same order.",
                [
                    .. from source in sources
                       from table in machines
                       select new AdviceEvidence(null, Compare(source.Name, source.Times, table)),
                ],
                least >= SameOrder
                    ? "Take their order as a first guess for machines that you cannot measure."
                    : "Do not carry their order over: another language and another runtime decide more than the machine does.",
                null,
                check),
        ];
    }

    private static string Compare(string source, Dictionary<string, double> times, PublishedTable table)
    {
        Dictionary<string, double> theirs = OfTable(table);
        double[] common = [.. theirs.Where(item => times.ContainsKey(item.Key)).Select(item => item.Value)];
        return $"{source} against {table.Machine}: rank correlation {Figures.Ratio(Correlation(table, times))}; the slowest takes "
            + $"{Figures.Ratio(times.Values.Max() / times.Values.Min())} times the time of the fastest here, "
            + $"{Figures.Ratio(common.Max() / common.Min())} times there";
    }

    private static double Correlation(PublishedTable table, Dictionary<string, double> times)
    {
        KeyValuePair<string, double>[] theirs = [.. OfTable(table).Where(item => times.ContainsKey(item.Key))];
        return RankCorrelation.Of([.. theirs.Select(item => item.Value)], [.. theirs.Select(item => times[item.Key])]);
    }

    private static Dictionary<string, double> OfTable(PublishedTable table) =>
        table.Rows.ToDictionary(row => row.OurMethod!, row => table.Figure(row, "wall")!.Value);
}
