using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// What transfers must reach, checked with the run's own medians. A bar whose cases were not measured is neither met nor
/// missed.
/// </summary>
internal static class TransfersBars
{
    private const int SmallestBuffer = 65536;
    private const long AllocatedBytes = 256 * ByteSize.KiB;
    private const long GrpcBytes = 512 * ByteSize.KiB;
    private const long CodedBytes = ByteSize.MiB;
    private const int FarMs = 60;
    private const double LinkShare = 0.85;

    private const string Http1 = nameof(FileTransfers.Http1);
    private const string Http1Sha256 = nameof(FileTransfers.Http1Sha256);
    private const string Grpc = nameof(FileTransfers.GrpcDirect);

    private static readonly string[] Http = [Http1, Http1Sha256];

    /// <summary>Checks all of them.</summary>
    public static IReadOnlyList<BarResult> Check(LabResults results)
    {
        var cases = new TransfersLookup(results);
        return
        [
            Ratio(cases, Http1, TransfersPlan.Baseline, TransfersPlan.Download, 1.00),
            Ratio(cases, Http1, TransfersPlan.Baseline, TransfersPlan.Upload, 0.90),
            Ratio(cases, Http1Sha256, TransfersPlan.BaselineSha256, TransfersPlan.Download, 0.95),
            Ratio(cases, Http1Sha256, TransfersPlan.BaselineSha256, TransfersPlan.Upload, 0.95),
            TransfersAllocation.Of(cases, Http, "allocated by the client", AllocatedBytes, summary => summary.AllocatedBytes),
            TransfersAllocation.Of(cases, Http, "allocated by the server", AllocatedBytes, summary => summary.ServerAllocatedBytes),
            TransfersAllocation.Collections(cases, Http),
            Ratio(cases, Grpc, TransfersPlan.Baseline, TransfersPlan.Download, 1.00),
            Ratio(cases, Grpc, TransfersPlan.Baseline, TransfersPlan.Upload, 0.95),
            .. Both(direction => Ratio(
                cases, Grpc, nameof(FileTransfers.GrpcRentedArray), direction, 0.95, buffer: TransfersPlan.MainBuffer)),
            TransfersAllocation.OfBoth(cases, Grpc, TransfersPlan.None, GrpcBytes),
            TransfersAllocation.OfBoth(cases, Grpc, TransfersPlan.Gzip, CodedBytes),
            TransfersAllocation.LargeObjects(cases, Grpc),
            Ratio(cases, nameof(FileTransfers.GrpcWebDirect), TransfersPlan.Baseline, TransfersPlan.Download, 1.00),
            Ratio(cases, nameof(FileTransfers.GrpcWebTextDirect), TransfersPlan.Baseline, TransfersPlan.Download, 1.50),
            .. Both(direction => Ratio(
                cases, Grpc, TransfersPlan.Baseline, direction, 1.00, compression: TransfersPlan.Gzip)),
            .. Both(direction => Share(cases, nameof(FileTransfers.Http2), direction)),
            .. Both(direction => Share(cases, Grpc, direction)),
        ];
    }

    private static IEnumerable<BarResult> Both(Func<string, BarResult> bar) =>
        new[] { TransfersPlan.Download, TransfersPlan.Upload }.Select(bar);

    private static BarResult Ratio(
        TransfersLookup cases,
        string mine,
        string other,
        string direction,
        double limit,
        string compression = TransfersPlan.None,
        int? buffer = null)
    {
        (CaseResult Mine, CaseResult Other, double Ratio)[] all =
        [
            .. from item in cases.Of(mine, direction, compression)
               where buffer is null ? item.Parameters.Buffer >= SmallestBuffer : item.Parameters.Buffer == buffer
               let baseline = cases.Same(other, item)
               where baseline is not null
               select (item, baseline, TransfersLookup.Median(item) / TransfersLookup.Median(baseline)),
        ];
        string buffers = buffer is { } only ? ByteSize.ToText(only) : $"every buffer ≥ {ByteSize.ToText(SmallestBuffer)}";
        var bar = new BarResult
        {
            Figure = $"{mine} / {other}, {direction}, {(compression == TransfersPlan.None ? "" : $"{compression}, ")}{buffers}",
            Limit = FormattableString.Invariant($"≤ {limit:0.00}"),
            Measured = TransfersLookup.NotMeasured,
        };
        if (all.Length == 0)
        {
            return bar;
        }

        (CaseResult worst, CaseResult against, double ratio) = all.MaxBy(item => item.Ratio);
        int missed = all.Count(item => item.Ratio > limit);
        return bar with
        {
            Measured = FormattableString.Invariant($"{ratio:0.000} at worst ({TransfersLookup.Where(worst)}), ")
                + $"{TransfersLookup.Time(worst)} against {TransfersLookup.Time(against)}"
                + (missed > 1 ? $"; {missed} of {all.Length} miss it" : ""),
            Met = missed == 0,
        };
    }

    private static BarResult Share(TransfersLookup cases, string method, string direction)
    {
        CaseResult? item = cases.Linked(method, FarMs)
            .Where(item => item.Parameters.Direction == direction && item.Summary!.LinkShare is not null)
            .MinBy(item => item.Summary!.LinkShare);
        return new BarResult
        {
            Figure = $"{method}, {direction}, round trip of {FarMs} ms: part of the link after the first second",
            Limit = FormattableString.Invariant($"≥ {LinkShare * 100:0} %"),
            Measured = item is null
                ? TransfersLookup.NotMeasured
                : FormattableString.Invariant($"{item.Summary!.LinkShare * 100:0.0} % ({ByteSize.ToText(item.Parameters.Bytes!.Value)} in {TransfersLookup.Time(item)})"),
            Met = item is null ? null : item.Summary!.LinkShare >= LinkShare,
        };
    }
}
