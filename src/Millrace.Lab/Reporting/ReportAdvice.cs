namespace Millrace.Lab.Reporting;

/// <summary>A piece of advice as a report shows it.</summary>
/// <param name="Section">The heading that it belongs under.</param>
/// <param name="Title">What to do, in a sentence.</param>
/// <param name="Evidence">The measurements that say so.</param>
/// <param name="Action">How to do it.</param>
/// <param name="Check">How to see whether it helped.</param>
/// <param name="Code">A line or two of code, where that says it best.</param>
/// <param name="OfOthers">Whether it says if what others concluded holds here.</param>
internal sealed record ReportAdvice(
    string Section,
    string Title,
    IReadOnlyList<string> Evidence,
    string Action,
    string Check,
    string? Code = null,
    bool OfOthers = false);
