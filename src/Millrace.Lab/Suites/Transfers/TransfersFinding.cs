using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The result in a sentence.</summary>
internal static class TransfersFinding
{
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
        return parts.Length == 0 ? null : string.Join("; it ", parts) + ".";
    }

    private static string? Part(TransfersLookup cases, string direction, string verb)
    {
        CaseResult? mine = cases.Of(TransfersPlan.Http1, direction)
            .Where(item => cases.Same(TransfersPlan.Baseline, item) is not null)
            .OrderBy(item => item.Parameters.Buffer != TransfersPlan.MainBuffer)
            .ThenBy(item => item.Parameters.Bytes)
            .FirstOrDefault();
        if (mine is null)
        {
            return null;
        }

        CaseResult plain = cases.Same(TransfersPlan.Baseline, mine)!;
        string subject = direction == TransfersPlan.Download || !cases.Of(TransfersPlan.Http1, TransfersPlan.Download).Any()
            ? "TransferClient "
            : "";
        return FormattableString.Invariant(
            $"{subject}{verb} {ByteSize.ToText(mine.Parameters.Bytes!.Value)} in {TransfersLookup.Time(mine)}, {TransfersLookup.Median(mine) / TransfersLookup.Median(plain):0.00} of the {TransfersLookup.Time(plain)} of HttpClient with buffers of {ByteSize.ToText(mine.Parameters.Buffer!.Value)}");
    }
}
