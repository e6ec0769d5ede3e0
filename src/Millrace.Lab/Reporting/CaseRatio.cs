
namespace Millrace.Lab.Reporting;

/// <summary>A case's time by the baseline's, the same wherever a report shows it.</summary>
/// <param name="Value">The ratio.</param>
/// <param name="Low">Lower end of its 95 % confidence interval, where a verdict says.</param>
/// <param name="High">Upper end.</param>
internal sealed record CaseRatio(double Value, double? Low, double? High)
{
    /// <summary>The metric of a verdict that compares times.</summary>
    public const string TimeMetric = "wallNs";

    /// <summary>Takes it from the verdict on the time, and from the summary where there is none.</summary>
    /// <returns>Null when nothing was compared.</returns>
    public static CaseRatio? Of(CaseResult item) => VerdictOf(item) is { Ratio: { } ratio } verdict
        ? new CaseRatio(ratio, verdict.Low, verdict.High)
        : (item.Summary?.Ratio ?? item.Summary?.MedianRatio) is { } value ? new CaseRatio(value, null, null) : null;

    /// <summary>What the run says of the case's time; null when nothing was compared.</summary>
    public static VerdictResult? VerdictOf(CaseResult item) =>
        item.Verdicts?.FirstOrDefault(verdict => verdict.Metric == TimeMetric);
}
