namespace Millrace.Lab.Comparing;

/// <summary>
/// How much faster or slower a machine was in each launch of two runs: the change common to the baseline's cases, the same code in
/// both. Hot and cold cases are apart, as memory and disk are.
/// </summary>
internal sealed class MachineDrift
{
    public const int CasesToJudgeBaseline = 3;

    private readonly double[] _offsets;
    private readonly Dictionary<(bool IsOther, int Launch), double> _levels;

    public MachineDrift(IEnumerable<(MetricSamples Reference, MetricSamples Other)> pairs)
    {
        Level[][] cases =
        [
            .. pairs.Where(pair => pair is { Reference.Rounds.Count: > 0, Other.Rounds.Count: > 0 })
                .Select(pair => Centred([.. LevelsOf(pair.Reference, false), .. LevelsOf(pair.Other, true)])),
        ];
        Cases = cases.Length;
        _levels = cases.SelectMany(levels => levels).GroupBy(level => (level.IsOther, level.Launch), level => level.Log)
            .ToDictionary(launch => launch.Key, launch => new Statistics(launch).Median);
        Factor = Cases == 0 ? 1 : Math.Exp(MeanLevel(isOther: true) - MeanLevel(isOther: false));

        // The part that the cases do not share is the error of a comparison of these two runs.
        _offsets = [.. cases.Select(levels => Math.Abs(Offset(levels)))];
    }

    public int Cases { get; }
    public double Factor { get; }

    /// <summary>By what nine tenths of the baseline's cases still differ when the drift is taken out, as a part of 1.</summary>
    public double? Residual =>
        Cases < CasesToJudgeBaseline ? null : Math.Exp(new Statistics(_offsets).Percentile(90)) - 1;

    public double Of(bool isOther, int launch) => Math.Exp(_levels.GetValueOrDefault((isOther, launch)));

    private double MeanLevel(bool isOther) =>
        _levels.Where(level => level.Key.IsOther == isOther).Select(level => level.Value).DefaultIfEmpty().Average();

    private double Offset(Level[] levels)
    {
        Level[] rest = [.. levels.Select(level => level with { Log = level.Log - _levels[(level.IsOther, level.Launch)] })];
        return Mean(rest, true) - Mean(rest, false);
    }

    private static Level[] Centred(Level[] levels)
    {
        double centre = (Mean(levels, false) + Mean(levels, true)) / 2;
        return [.. levels.Select(level => level with { Log = level.Log - centre })];
    }

    private static IEnumerable<Level> LevelsOf(MetricSamples samples, bool isOther) =>
        samples.Rounds.GroupBy(round => round.Launch, round => Math.Log(round.Value))
            .Select(launch => new Level(isOther, launch.Key, new Statistics(launch).Median));

    private static double Mean(Level[] levels, bool isOther) => levels.Where(level => level.IsOther == isOther).Average(level => level.Log);

    private readonly record struct Level(bool IsOther, int Launch, double Log);
}
