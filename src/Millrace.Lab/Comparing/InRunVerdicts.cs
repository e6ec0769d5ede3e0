
namespace Millrace.Lab.Comparing;

/// <summary>Compares the cases of one run with its baseline.</summary>
internal static class InRunVerdicts
{
    /// <summary>
    /// Adds verdicts to every case that has a baseline of the same parameters, and to second copies against their first.
    /// </summary>
    public static LabResults Add(LabResults results)
    {
        ArgumentNullException.ThrowIfNull(results);
        NoiseFloor floor = NoiseFloor.Of(results);
        ILookup<CaseParameters, CaseResult> baselines = results.Cases
            .Where(item => item is { Baseline: true, Role: null })
            .ToLookup(item => item.Parameters.WithoutDegree());
        return results with
        {
            Cases =
            [
                .. results.Cases.Select(item =>
                    (NoiseFloor.IsAgain(item) ? NoiseFloor.FirstOf(item, results)
                        : item.Baseline ? null
                        : baselines[item.Parameters.WithoutDegree()].FirstOrDefault()) is { } other
                        ? item with { Verdicts = [.. Judge(item, other, floor)] }
                        : item),
            ],
        };
    }

    private static IEnumerable<VerdictResult> Judge(CaseResult item, CaseResult other, NoiseFloor floor)
    {
        // A floor that was made of this very pair would find nothing in it.
        EffectLimit limit = NoiseFloor.IsAgain(item)
            ? EffectLimit.Minimum with { LaunchSpread = floor.LaunchSpread }
            : floor.For(item.Parameters);
        foreach (MetricKind kind in Metrics.Usual)
        {
            MetricSamples mine = MetricReader.Read(item, kind);
            MetricSamples others = MetricReader.Read(other, kind);

            // Why a meter has no number is said under "unavailable"; time is never left out.
            if (kind == Metrics.WallNs || (mine.Missing ?? others.Missing) is null)
            {
                yield return Verdicts.CompareInRun(mine, others, limit);
            }
        }
    }
}
