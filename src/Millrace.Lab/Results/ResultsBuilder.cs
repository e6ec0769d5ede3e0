namespace Millrace.Lab.Results;

internal static class ResultsBuilder
{
    public static LabResults Build(LabResults run, IEnumerable<CaseResult> measured, IReadOnlyList<string> methods)
    {
        CaseResult[] cases =
        [
            .. measured
                .OrderBy(item => item.Parameters.Cache == "cold")
                .ThenBy(item => item.Parameters.Content, StringComparer.Ordinal)
                .ThenBy(item => item.Parameters.Source, StringComparer.Ordinal)
                .ThenBy(item => item.Parameters.Readers)
                .ThenBy(item => item.Parameters.Bytes)
                .ThenBy(item => item.Parameters.CacheFill, StringComparer.Ordinal)
                .ThenBy(item => item.Parameters.Options, StringComparer.Ordinal)
                .ThenBy(item => item.Parameters.Load, StringComparer.Ordinal)
                .ThenBy(item => item.Parameters.Durability, StringComparer.Ordinal)
                .ThenBy(item => item.Parameters.Direction, StringComparer.Ordinal)
                .ThenByDescending(item => item.Parameters.Processes)
                .ThenBy(item => item.Parameters.RoundTripMs)
                .ThenByDescending(item => item.Parameters.Compression, StringComparer.Ordinal)
                .ThenBy(item => item.Parameters.Digest, StringComparer.Ordinal)
                .ThenBy(item => item.Parameters.Buffer)
                .ThenBy(item => item.Parameters.Offset)
                .ThenBy(item => item.Parameters.Block)
                .ThenBy(item => item.Parameters.Chunk)
                .ThenBy(item => item.Parameters.Records)
                .ThenBy(item => item.Parameters.Writers)
                .ThenBy(item => item.Parameters.Degree)
                .ThenBy(item => MethodOrder(methods, item))
                .ThenBy(item => item.Role is not null),
        ];
        Dictionary<CaseParameters, CaseResult> baselines = cases
            .Where(item => item is { Baseline: true, Error: null })
            .ToDictionary(item => item.Parameters.WithoutDegree());
        return run with
        {
            Cases =
            [
                .. Floor.AddRatios([.. cases.Select(item => item.Error is null
                    ? CaseSummarizer.Summarize(item, baselines.GetValueOrDefault(item.Parameters.WithoutDegree()))
                    : item)]),
            ],
            Noise = [.. Noise(cases)],
        };
    }

    private static IEnumerable<NoiseResult> Noise(CaseResult[] cases)
    {
        Dictionary<(string Method, CaseParameters), CaseResult> originals = cases
            .Where(item => item is { Role: null, Error: null })
            .ToDictionary(item => (item.Method, item.Parameters));
        foreach (CaseResult again in cases.Where(item => item is { Role: LabCase.NoiseRole, Error: null }))
        {
            string method = NoiseFloor.MethodOf(again);
            if (originals.GetValueOrDefault((method, again.Parameters)) is not { } original
                || Summarizer.Ratios(
                    CaseSummarizer.Rounds(again.Samples!), CaseSummarizer.Rounds(original.Samples!)) is not { } ratios)
            {
                continue;
            }

            double medians =
                new Statistics(again.Samples!.WallNs).Median / new Statistics(original.Samples!.WallNs).Median;
            yield return new NoiseResult
            {
                Method = method,
                Parameters = again.Parameters,
                MedianRatio = medians,
                Ratio = ratios.Mean,
                RatioStdDev = ratios.N > 1 ? ratios.StandardDeviation : 0,
                Deviation = Math.Abs(medians - 1),
            };
        }
    }

    private static int MethodOrder(IReadOnlyList<string> methods, CaseResult item)
    {
        string method = NoiseFloor.MethodOf(item);
        return methods.TakeWhile(name => name != method).Count();
    }
}
