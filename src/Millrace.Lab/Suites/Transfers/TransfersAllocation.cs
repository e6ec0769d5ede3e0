using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>What transfers may allocate.</summary>
internal static class TransfersAllocation
{
    /// <summary>One of the figures of some methods.</summary>
    public static BarResult Of(
        TransfersLookup cases, string[] methods, string what, long limit, Func<CaseSummary, double?> bytes) =>
        Limit(cases, methods, TransfersPlan.None, $"{string.Join(", ", methods)}: {what} per transfer", limit, bytes);

    /// <summary>Both ends together, of the file of the published figures.</summary>
    public static BarResult OfBoth(TransfersLookup cases, string method, string compression, long limit) => Limit(
        cases,
        [method],
        compression,
        $"{method}, compression {compression}: allocated by both ends per 23.9 MB",
        limit,
        summary => summary.AllocatedBytes + summary.ServerAllocatedBytes,
        item => item.Parameters.Content == "csv");

    /// <summary>Whether an end collected its oldest objects.</summary>
    public static BarResult Collections(TransfersLookup cases, string[] methods) => None(
        [.. methods.SelectMany(method => cases.Of(method)).Where(item => item.Summary is { Gen2: not null, ServerGen2: not null })],
        $"{string.Join(", ", methods)}: collections of generation 2, at both ends",
        summary => summary is { Gen2: 0, ServerGen2: 0 });

    /// <summary>Whether an end allocated an object of 85,000 bytes or more.</summary>
    public static BarResult LargeObjects(TransfersLookup cases, string method) => None(
        [
            .. cases.Of(method).Concat(cases.Of(method, compression: TransfersPlan.Gzip))
                .Where(item => item.Summary is { LargeObjectBytes: not null, ServerLargeObjectBytes: not null }),
        ],
        $"{method}: large objects, at both ends",
        summary => summary is { LargeObjectBytes: 0, ServerLargeObjectBytes: 0 });

    private static BarResult Limit(
        TransfersLookup cases,
        string[] methods,
        string compression,
        string figure,
        long limit,
        Func<CaseSummary, double?> bytes,
        Func<CaseResult, bool>? counts = null)
    {
        CaseResult? worst = methods.SelectMany(method => cases.Of(method, compression: compression))
            .Where(item => bytes(item.Summary!) is not null && counts?.Invoke(item) != false)
            .MaxBy(item => bytes(item.Summary!));
        return new BarResult
        {
            Figure = figure,
            Limit = $"≤ {ByteSize.ToText(limit)}",
            Measured = worst is null
                ? TransfersLookup.NotMeasured
                : FormattableString.Invariant($"{bytes(worst.Summary!):0} B at most ({Case(worst)})"),
            Met = worst is null ? null : bytes(worst.Summary!) <= limit,
        };
    }

    private static BarResult None(CaseResult[] all, string figure, Func<CaseSummary, bool> has)
    {
        CaseResult[] others = [.. all.Where(item => !has(item.Summary!))];
        return new BarResult
        {
            Figure = figure,
            Limit = "none",
            Measured = all.Length == 0
                ? TransfersLookup.NotMeasured
                : others.Length == 0 ? "none" : $"in {others.Length} cases, first {Case(others[0])}",
            Met = all.Length == 0 ? null : others.Length == 0,
        };
    }

    private static string Case(CaseResult item) =>
        $"{item.Method}, {item.Parameters.Direction}, {TransfersLookup.Where(item)}";
}
