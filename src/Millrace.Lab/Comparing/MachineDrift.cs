namespace Millrace.Lab.Comparing;

/// <summary>
/// How much faster or slower a machine was in each launch of two runs: what the baseline's cases, which are the same code in
/// both, have in common there. Hot and cold cases are apart, as memory and disk are.
/// </summary>
internal sealed class MachineDrift
{
    public const int CasesToJudgeBaseline = 3;

    private readonly double[] _offsets;
    private readonly Dictionary<(bool IsOther, int Launch), double> _levels = [];

    public MachineDrift(IEnumerable<(MetricSamples Reference, MetricSamples Other)> pairs)
    {
        CaseLevels[] cases =
        [
            .. pairs.Where(pair => pair is { Reference.Rounds.Count: > 0, Other.Rounds.Count: > 0 })
                .Select(pair => new CaseLevels(pair.Reference, pair.Other)),
        ];
        Cases = cases.Length;
        foreach (IGrouping<(bool, int), double> launch in cases
            .SelectMany(item => item.Deviations)
            .GroupBy(item => item.Key, item => item.Value))
        {
            _levels[launch.Key] = new Statistics(launch).Median;
        }

        Factor = Cases == 0 ? 1 : Math.Exp(MeanLevel(isOther: true) - MeanLevel(isOther: false));

        // What the cases do not have in common is how much a comparison of these two runs is in error.
        _offsets = [.. cases.Select(item => Math.Abs(item.Offset(_levels)))];
    }

    public int Cases { get; }
    public double Factor { get; }

    /// <summary>By what nine tenths of the baseline's cases still differ when the drift is taken out, as a part of 1.</summary>
    public double? Residual =>
        Cases < CasesToJudgeBaseline ? null : Math.Exp(new Statistics(_offsets).Percentile(90)) - 1;

    public double Of(bool isOther, int launch) => Math.Exp(_levels.GetValueOrDefault((isOther, launch)));

    private double MeanLevel(bool isOther) =>
        _levels.Where(level => level.Key.IsOther == isOther).Select(level => level.Value).DefaultIfEmpty().Average();

    private sealed class CaseLevels
    {
        public CaseLevels(MetricSamples reference, MetricSamples other)
        {
            (bool IsOther, int Launch, double Level)[] all = [.. Levels(reference, false), .. Levels(other, true)];
            double centre = (Mean(all, false) + Mean(all, true)) / 2;
            Deviations = all.ToDictionary(item => (item.IsOther, item.Launch), item => item.Level - centre);
        }

        public Dictionary<(bool IsOther, int Launch), double> Deviations { get; }

        public double Offset(Dictionary<(bool IsOther, int Launch), double> common)
        {
            (bool IsOther, int Launch, double Level)[] rest =
                [.. Deviations.Select(item => (item.Key.IsOther, item.Key.Launch, item.Value - common[item.Key]))];
            return Mean(rest, true) - Mean(rest, false);
        }

        private static IEnumerable<(bool IsOther, int Launch, double Level)> Levels(MetricSamples samples, bool isOther) =>
            samples.Rounds.GroupBy(round => round.Launch, round => Math.Log(round.Value))
                .Select(launch => (isOther, launch.Key, new Statistics(launch).Median));

        private static double Mean((bool IsOther, int Launch, double Level)[] levels, bool isOther) =>
            levels.Where(item => item.IsOther == isOther).Average(item => item.Level);
    }
}
