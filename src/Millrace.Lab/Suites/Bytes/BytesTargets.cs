namespace Millrace.Lab.Suites.Bytes;

/// <summary>The targets of byte sequences, and the result in a sentence.</summary>
internal static class BytesTargets
{
    private static readonly TargetDefinition[] Targets =
    [
        Ratio(BytesSuite.Sequence, BytesSuite.PlainSequence, 0.12, ByteSource.FileName),
        Ratio(BytesSuite.Sequence, BytesSuite.PlainSequence, 0.12, ByteSource.HttpName),
        Ratio(BytesSuite.Sequence, BytesSuite.ArrayFor, 5, ByteSource.FileName),
        Ratio(BytesSuite.Sequence, BytesSuite.ArrayFor, 5, ByteSource.HttpName),
        Ratio(BytesSuite.Segments, BytesSuite.Baseline, 0.95, ByteSource.FileName),
        TargetDefinition.Ratio(
            $"{BytesSuite.Segments} / the fastest {UrlSession.Prefix}*, {ByteSource.HttpName}",
            0.40,
            cases =>
                from mine in Of(cases, BytesSuite.Segments, ByteSource.HttpName)
                let best = FastestUrlSession(cases, mine)
                where best is not null
                select new CasePair(mine, best),
            details: cases => $" of {FastestUrlSession(cases, Of(cases, BytesSuite.Segments, ByteSource.HttpName).First())!.Method}"),
        Ratio(BytesSuite.Sequence, UrlSession.DataFor, 0.35, ByteSource.HttpName),
        TargetDefinition.MaxBytes(
            $"{BytesSuite.Segments}, {ByteSource.FileName}: peak memory over an idle process",
            2 * ByteSize.MiB,
            cases => Of(cases, BytesSuite.Segments),
            summary => summary.PeakOverIdleBytes),
        TargetDefinition.MaxBytes(
            $"{BytesSuite.Segments}, {ByteSource.FileName}: allocated", 2 * ByteSize.KiB, cases => Of(cases, BytesSuite.Segments)),
        Ratio(BytesSuite.ByteLines, BytesSuite.TextLines, 0.25, ByteSource.FileName),
    ];

    public static IReadOnlyList<TargetResult> Check(LabResults results) => TargetDefinition.Check(results, Targets);

    /// <summary>States the first source that has the telling cases; null when there is none.</summary>
    public static string? Finding(LabResults results)
    {
        var cases = new MeasuredCases(results);
        foreach (string source in new[] { ByteSource.FileName, ByteSource.HttpName })
        {
            if (Of(cases, BytesSuite.PlainSequence, source).FirstOrDefault() is { } plain
                && Of(cases, BytesSuite.Sequence, source).FirstOrDefault() is { } sequence
                && Of(cases, BytesSuite.Segments, source).FirstOrDefault() is { } segments)
            {
                return $"await foreach over {ByteSize.ToText(plain.Parameters.Bytes ?? 0)} from a "
                    + $"{(source == ByteSource.HttpName ? "server" : "file")} {Figures.Speed(new CasePair(sequence, plain).Ratio)} "
                    + $"with ReadBytesAsync as with a plain async sequence ({Figures.Both(sequence, plain)}); "
                    + $"ForEachSegmentAsync with vectors took {Figures.Time(segments)}.";
            }
        }

        return null;
    }

    private static CaseResult? FastestUrlSession(MeasuredCases cases, CaseResult mine) => cases.All
        .Where(item => UrlSession.Is(item.Method) && item.Parameters == mine.Parameters).MinBy(Figures.Median);

    private static TargetDefinition Ratio(string mine, string other, double limit, string source) => TargetDefinition.Ratio(
        $"{mine} / {other}, {source}", limit, cases => CasePair.WithSame(cases, Of(cases, mine, source), other));

    // With the main increments and one reader.
    private static IEnumerable<CaseResult> Of(MeasuredCases cases, string method, string source = ByteSource.FileName) =>
        cases.Of(method, parameters =>
            parameters is { Buffer: BytesSuite.MainBuffer, Readers: 1 } && parameters.Source == source);
}
