using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The result in a sentence.</summary>
internal static class TransfersFinding
{
    private static readonly (string Method, string Protocol)[] Protocols =
        [(nameof(FileTransfers.Http1), "HTTP/1.1"), (nameof(FileTransfers.GrpcDirect), "gRPC")];

    /// <summary>Says what was measured of downloads and of uploads; null when neither was.</summary>
    public static string? Sentence(LabResults results)
    {
        var cases = new TransfersLookup(results);
        string[] parts =
        [
            .. new[]
            {
                Part(cases, TransfersPlan.Download, "downloaded"),
                Part(cases, TransfersPlan.Upload, "uploaded"),
            }.OfType<string>(),
        ];
        return parts.Length == 0 ? null : "TransferClient " + string.Join("; it ", parts) + ".";
    }

    private static string? Part(TransfersLookup cases, string direction, string verb)
    {
        (CaseResult Case, string Protocol)[] all =
        [
            .. from protocol in Protocols
               let item = Find(cases, protocol.Method, direction)
               where item is not null
               select (item, protocol.Protocol),
        ];
        if (all.Length == 0)
        {
            return null;
        }

        // The same buffer for all that the sentence has, which is the first one's.
        CaseResult first = all[0].Case;
        CaseResult plain = cases.Same(TransfersPlan.Baseline, first)!;
        IEnumerable<string> times =
            from each in all
            where each.Case.Parameters == first.Parameters
            select FormattableString.Invariant(
                $"in {TransfersLookup.Time(each.Case)} over {each.Protocol}, {TransfersLookup.Median(each.Case) / TransfersLookup.Median(plain):0.00}");
        return FormattableString.Invariant(
            $"{verb} {ByteSize.ToText(first.Parameters.Bytes!.Value)} {string.Join(", and ", times)} of the {TransfersLookup.Time(plain)} of HttpClient with buffers of {ByteSize.ToText(first.Parameters.Buffer!.Value)}");
    }

    private static CaseResult? Find(TransfersLookup cases, string method, string direction) => cases.Of(method, direction)
        .Where(item => cases.Same(TransfersPlan.Baseline, item) is not null)
        .OrderBy(item => item.Parameters.Buffer != TransfersPlan.MainBuffer)
        .ThenBy(item => item.Parameters.Bytes)
        .FirstOrDefault();
}
