using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>
/// What the sequences must reach, checked with the run's own medians. A bar whose cases were not measured is neither met
/// nor missed.
/// </summary>
internal static class BytesBars
{
    private const string NotMeasured = "not measured in this run";

    /// <summary>Checks all of them; none are stated for a user's own file.</summary>
    public static IReadOnlyList<BarResult> Check(LabResults results)
    {
        if (results.Cases.Any(item => item.Parameters.File is not null))
        {
            return [];
        }

        var cases = new BytesLookup(results);
        return
        [
            Ratio(cases, BytesPlan.Sequence, BytesPlan.PlainSequence, 0.12, ByteSource.FileName),
            Ratio(cases, BytesPlan.Sequence, BytesPlan.PlainSequence, 0.12, ByteSource.HttpName),
            Ratio(cases, BytesPlan.Sequence, BytesPlan.ArrayFor, 5, ByteSource.FileName),
            Ratio(cases, BytesPlan.Sequence, BytesPlan.ArrayFor, 5, ByteSource.HttpName),
            Ratio(cases, BytesPlan.Segments, BytesPlan.Baseline, 0.95, ByteSource.FileName),
            AtMost(
                cases.Of(BytesPlan.Segments)?.Summary?.PeakOverIdleBytes,
                "peak memory over an idle process",
                2 * ByteSize.MiB,
                ByteSize.ToText(2 * ByteSize.MiB)),
            AtMost(cases.Of(BytesPlan.Segments)?.Summary?.AllocatedBytes, "allocated", 2 * ByteSize.KiB, "2 KiB"),
            Ratio(cases, BytesPlan.ByteLines, BytesPlan.TextLines, 0.25, ByteSource.FileName),
        ];
    }

    private static BarResult Ratio(BytesLookup cases, string mine, string other, double limit, string source)
    {
        CaseResult? one = cases.Of(mine, source);
        CaseResult? two = cases.Of(other, source);
        bool measured = one is not null && two is not null;
        double ratio = measured ? BytesLookup.Median(one!) / BytesLookup.Median(two!) : 0;
        return new BarResult
        {
            Figure = $"{mine} / {other}, {source}",
            Limit = FormattableString.Invariant($"≤ {limit:0.00}"),
            Measured = measured
                ? FormattableString.Invariant($"{ratio:0.000}, {BytesLookup.Time(one!)} against {BytesLookup.Time(two!)}")
                : NotMeasured,
            Met = measured ? ratio <= limit : null,
        };
    }

    private static BarResult AtMost(double? bytes, string what, long limit, string limitText) => new()
    {
        Figure = $"{BytesPlan.Segments}, {ByteSource.FileName}: {what}",
        Limit = $"≤ {limitText}",
        Measured = bytes is { } measured ? FormattableString.Invariant($"{measured:0} B") : NotMeasured,
        Met = bytes is null ? null : bytes <= limit,
    };
}
