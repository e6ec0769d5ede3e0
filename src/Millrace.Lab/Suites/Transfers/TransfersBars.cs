using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// What transfers must reach, checked with the run's own medians. A bar whose cases were not measured is neither met nor
/// missed.
/// </summary>
internal static class TransfersBars
{
    private const string NotMeasured = "not measured in this run";
    private const int SmallestBuffer = 65536;
    private const long AllocatedBytes = 256 * ByteSize.KiB;

    private static readonly string[] Own = [TransfersPlan.Http1, TransfersPlan.Http1Sha256];

    /// <summary>Checks all of them.</summary>
    public static IReadOnlyList<BarResult> Check(LabResults results)
    {
        var cases = new TransfersLookup(results);
        return
        [
            Ratio(cases, TransfersPlan.Http1, TransfersPlan.Baseline, TransfersPlan.Download, 1.00),
            Ratio(cases, TransfersPlan.Http1, TransfersPlan.Baseline, TransfersPlan.Upload, 0.90),
            Ratio(cases, TransfersPlan.Http1Sha256, TransfersPlan.BaselineSha256, TransfersPlan.Download, 0.95),
            Ratio(cases, TransfersPlan.Http1Sha256, TransfersPlan.BaselineSha256, TransfersPlan.Upload, 0.95),
            Allocated(cases, "the client", summary => summary.AllocatedBytes),
            Allocated(cases, "the server", summary => summary.ServerAllocatedBytes),
            Collections(cases),
        ];
    }

    private static BarResult Ratio(TransfersLookup cases, string mine, string other, string direction, double limit)
    {
        (CaseResult Mine, CaseResult Other, double Ratio)[] all =
        [
            .. from item in cases.Of(mine, direction)
               where item.Parameters.Buffer >= SmallestBuffer
               let baseline = cases.Same(other, item)
               where baseline is not null
               select (item, baseline, TransfersLookup.Median(item) / TransfersLookup.Median(baseline)),
        ];
        var bar = new BarResult
        {
            Figure = $"{mine} / {other}, {direction}, every buffer ≥ {ByteSize.ToText(SmallestBuffer)}",
            Limit = FormattableString.Invariant($"≤ {limit:0.00}"),
            Measured = NotMeasured,
        };
        if (all.Length == 0)
        {
            return bar;
        }

        (CaseResult worst, CaseResult against, double ratio) = all.MaxBy(item => item.Ratio);
        int missed = all.Count(item => item.Ratio > limit);
        return bar with
        {
            Measured = FormattableString.Invariant($"{ratio:0.000} at worst ({Where(worst)}), ")
                + $"{TransfersLookup.Time(worst)} against {TransfersLookup.Time(against)}"
                + (missed > 1 ? $"; {missed} of {all.Length} miss it" : ""),
            Met = missed == 0,
        };
    }

    private static BarResult Allocated(TransfersLookup cases, string who, Func<CaseSummary, double?> bytes)
    {
        CaseResult? worst = AllOwn(cases).Where(item => bytes(item.Summary!) is not null).MaxBy(item => bytes(item.Summary!));
        return new BarResult
        {
            Figure = $"{string.Join(", ", Own)}: allocated by {who} per transfer",
            Limit = $"≤ {ByteSize.ToText(AllocatedBytes)}",
            Measured = worst is null
                ? NotMeasured
                : FormattableString.Invariant($"{bytes(worst.Summary!):0} B at most ({worst.Method}, {worst.Parameters.Direction}, {Where(worst)})"),
            Met = worst is null ? null : bytes(worst.Summary!) <= AllocatedBytes,
        };
    }

    private static BarResult Collections(TransfersLookup cases)
    {
        CaseResult[] all = [.. AllOwn(cases).Where(item => item.Summary is { Gen2: not null, ServerGen2: not null })];
        CaseResult[] collecting = [.. all.Where(item => item.Summary is not { Gen2: 0, ServerGen2: 0 })];
        return new BarResult
        {
            Figure = $"{string.Join(", ", Own)}: collections of generation 2, at both ends",
            Limit = "none",
            Measured = all.Length == 0
                ? NotMeasured
                : collecting.Length == 0
                    ? "none"
                    : $"in {collecting.Length} cases, first {collecting[0].Method}, {collecting[0].Parameters.Direction}, {Where(collecting[0])}",
            Met = all.Length == 0 ? null : collecting.Length == 0,
        };
    }

    private static IEnumerable<CaseResult> AllOwn(TransfersLookup cases) => Own.SelectMany(method => cases.Of(method));

    private static string Where(CaseResult item) =>
        $"{ByteSize.ToText(item.Parameters.Bytes!.Value)} at {ByteSize.ToText(item.Parameters.Buffer!.Value)}";
}
