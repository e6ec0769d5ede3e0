namespace Millrace.Lab.Results;

/// <summary>Turns samples into summaries.</summary>
internal static class Summarizer
{
    private const int SamplesForError = 3;

    /// <summary>Describes samples. Nothing is taken out: an outlier is a time that a user waits, too.</summary>
    public static Distribution Describe(Statistics statistics) => new()
    {
        N = statistics.N,
        Mean = statistics.Mean,
        Error = statistics.N < SamplesForError ? null : Finite(statistics.Margin),
        StdDev = Finite(statistics.StandardDeviation) ?? 0,
        Min = statistics.Min,
        P25 = statistics.Percentile(25),
        Median = statistics.Median,
        P75 = statistics.Percentile(75),
        P90 = statistics.Percentile(90),
        P99 = statistics.Percentile(99),
        Max = statistics.Max,
    };

    /// <summary>
    /// One ratio per round that both have samples of: median by median. What is compared was measured within the same
    /// second or so, so that a machine that drifts does not show in the ratios.
    /// </summary>
    /// <returns>Null when they have no round in common.</returns>
    public static Statistics? Ratios(
        IEnumerable<((int Launch, int Round) Round, double Value)> samples, IEnumerable<((int Launch, int Round) Round, double Value)> baseline)
    {
        Dictionary<(int Launch, int Round), double> medians = MediansByRound(baseline);
        double[] ratios =
        [
            .. from round in MediansByRound(samples)
               where medians.ContainsKey(round.Key)
               select round.Value / medians[round.Key],
        ];
        return ratios.Length == 0 ? null : new Statistics(ratios);
    }

    private static Dictionary<(int Launch, int Round), double> MediansByRound(IEnumerable<((int Launch, int Round) Round, double Value)> samples) => samples
        .GroupBy(sample => sample.Round, sample => sample.Value)
        .ToDictionary(round => round.Key, round => new Statistics(round).Median);

    private static double? Finite(double value) => double.IsFinite(value) ? value : null;
}
