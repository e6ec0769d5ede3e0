namespace Millrace.Lab.Comparing;

internal sealed class CaseJudge
{
    private readonly LabResults _reference;
    private readonly LabResults _other;
    private readonly ComparisonBasis _basis;
    private readonly ComparisonOptions _options;
    private readonly Dictionary<string, MachineDrift> _drift;
    private readonly Dictionary<(string Method, CaseParameters Parameters), int> _referenceRanks;
    private readonly Dictionary<(string Method, CaseParameters Parameters), int> _otherRanks;
    private readonly NoiseFloor[] _floors;

    public CaseJudge(
        LabResults reference, LabResults other, CommonCase[] pairs, ComparisonBasis basis, ComparisonOptions options)
    {
        _reference = reference;
        _other = other;
        _basis = basis;
        _options = options;
        _drift = pairs
            .Where(pair => IsBaseline(pair, reference))
            .GroupBy(pair => CacheOf(pair.Other))
            .ToDictionary(
                group => group.Key,
                group => new MachineDrift(group.Select(pair => (Time(pair.Reference), Time(pair.Other)))),
                StringComparer.Ordinal);
        _referenceRanks = Ranks.Of(pairs.Select(pair => pair.Reference));
        _otherRanks = Ranks.Of(pairs.Select(pair => pair.Other));
        _floors =
        [
            NoiseFloor.Of(reference, "the reference"),
            NoiseFloor.Of(other, "the other run"),
            .. options.NullRun is { } stored ? new[] { NoiseFloor.Of(stored, "the stored null run") } : [],
        ];
    }

    public IReadOnlyDictionary<string, double> DriftFactors => _drift
        .Where(drift => drift.Value.Cases > 0)
        .ToDictionary(drift => drift.Key, drift => drift.Value.Factor, StringComparer.Ordinal);

    /// <summary>The verdicts on a case; null when it has nothing to be compared by.</summary>
    public CaseComparison? Judge(CommonCase pair)
    {
        VerdictResult? ratio = OfRatio(pair, Metrics.WallNs);
        VerdictResult? verdict = _basis == ComparisonBasis.Ratio ? ratio : OfTime(pair, ratio);
        return verdict is null ? null : new CaseComparison
        {
            Method = pair.Other.Method,
            Role = pair.Other.Role,
            Parameters = pair.Other.Parameters,
            ReferenceNs = pair.Reference.Summary?.WallNs.Median,
            OtherNs = pair.Other.Summary?.WallNs.Median,
            ReferenceRank = RankOf(pair.Reference, _referenceRanks),
            OtherRank = RankOf(pair.Other, _otherRanks),
            Verdict = verdict,
            AgainstBaseline = ratio,
            Others = [.. _options.Metrics.Where(kind => kind != Metrics.WallNs).Select(kind => Of(pair, kind)).OfType<VerdictResult>()],
        };
    }

    private VerdictResult OfTime(CommonCase pair, VerdictResult? ratio)
    {
        MachineDrift? drift = _drift.GetValueOrDefault(CacheOf(pair.Other));
        EffectLimit limit = Limit(pair);
        if (_basis == ComparisonBasis.Time || drift is not { Cases: > 0 })
        {
            return Verdicts.Compare(Time(pair.Other), Time(pair.Reference), limit);
        }

        if (drift.Residual is { } residual)
        {
            limit = limit.Max(new EffectLimit(residual, "nine tenths of the baseline's own cases still differ by up to that"));
        }

        VerdictResult verdict = Verdicts.Compare(
            Time(pair.Other).Without(launch => drift.Of(isOther: true, launch)),
            Time(pair.Reference).Without(launch => drift.Of(isOther: false, launch)),
            limit);
        if (verdict.Verdict == VerdictWords.TooLittleData)
        {
            return verdict;
        }

        return drift.Cases < MachineDrift.CasesToJudgeBaseline && IsBaseline(pair, _reference)
            ? AsNoise(verdict, $"the machine's drift was measured with {drift.Cases} such "
                + (drift.Cases == 1 ? "case, which cannot be separated from it" : "cases, which cannot be separated from it"))
            : Contradicts(verdict, ratio, limit)
                ? AsNoise(verdict, $"against the baseline of the same rounds it is {ratio!.Ratio:0.00} times its earlier ratio")
                : verdict;
    }

    // The ratio within rounds does not contain the drift within a run: it has to point the same way.
    private static bool Contradicts(VerdictResult verdict, VerdictResult? ratio, EffectLimit limit)
    {
        if (!VerdictWords.NamesDifference(verdict.Verdict) || ratio?.Ratio is not { } change)
        {
            return false;
        }

        double half = Math.Log(1 + limit.Threshold) / 2;
        return verdict.Ratio > 1 ? Math.Log(change) < half : Math.Log(change) > -half;
    }

    private VerdictResult? OfRatio(CommonCase pair, MetricKind kind) =>
        BaselineOf(pair.Reference, _reference) is { } before && BaselineOf(pair.Other, _other) is { } after
            ? Verdicts.Compare(
                MetricReader.Read(pair.Other, kind).RelativeTo(MetricReader.Read(after, kind)),
                MetricReader.Read(pair.Reference, kind).RelativeTo(MetricReader.Read(before, kind)),
                Limit(pair))
            : null;

    private VerdictResult? Of(CommonCase pair, MetricKind kind)
    {
        MetricSamples mine = MetricReader.Read(pair.Other, kind);
        MetricSamples reference = MetricReader.Read(pair.Reference, kind);
        if ((mine.Missing ?? reference.Missing) is not null)
        {
            return null;
        }

        if (!kind.IsMeasured)
        {
            return Verdicts.Compare(mine, reference, EffectLimit.Minimum);
        }

        // Processor time drifts with the machine as time does; the baseline, which would show by how much, has no verdict.
        bool byRatio = _basis == ComparisonBasis.Ratio
            || (_basis == ComparisonBasis.AdjustedTime && _drift.ContainsKey(CacheOf(pair.Other)));
        return byRatio ? OfRatio(pair, kind) : Verdicts.Compare(mine, reference, Limit(pair));
    }

    private EffectLimit Limit(CommonCase pair) => _floors
        .Select(floor => floor.For(pair.Other.Parameters, NoiseFloor.MethodOf(pair.Other)))
        .Aggregate((one, two) => one.Max(two));

    private static VerdictResult AsNoise(VerdictResult verdict, string reason) =>
        verdict with { Verdict = VerdictWords.Noise, Better = null, Reason = $"{reason}; {verdict.Reason}" };

    // The baseline has no ratio to itself.
    private static CaseResult? BaselineOf(CaseResult item, LabResults results) => item is { Baseline: true, Role: null }
        ? null
        : results.Cases.FirstOrDefault(one => one is { Baseline: true, Role: null }
            && one.Parameters.WithoutDegree() == item.Parameters.WithoutDegree());

    private static bool IsBaseline(CommonCase pair, LabResults results) =>
        pair.Other.Baseline || (NoiseFloor.FirstOf(pair.Reference, results)?.Baseline ?? false);

    private static int? RankOf(CaseResult item, Dictionary<(string Method, CaseParameters Parameters), int> ranks) =>
        item.Role is null && ranks.TryGetValue((item.Method, item.Parameters), out int rank) ? rank : null;

    private static MetricSamples Time(CaseResult item) => MetricReader.Read(item, Metrics.WallNs);

    private static string CacheOf(CaseResult item) => item.Parameters.Cache ?? "";
}

internal static class Ranks
{
    /// <summary>The place of each case by median time, 1 the fastest; second copies have none.</summary>
    public static Dictionary<(string Method, CaseParameters Parameters), int> Of(IEnumerable<CaseResult> cases) => cases
        .Where(item => item is { Role: null, Summary: not null })
        .GroupBy(item => item.Parameters)
        .SelectMany(group => group.OrderBy(item => item.Summary!.WallNs.Median)
            .Select((item, index) => (Key: (item.Method, item.Parameters), Place: index + 1)))
        .ToDictionary(item => item.Key, item => item.Place);
}
