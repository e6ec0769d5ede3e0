using Millrace.Lab.Published;

namespace Millrace.Lab.Advising;

/// <summary>How advice is parted for people: what is wrong with the run, what to do, what others concluded.</summary>
internal static class AdviceSections
{
    /// <summary>The sections that are not empty, with their titles.</summary>
    public static IEnumerable<(string Title, IReadOnlyList<Advice> Advice)> Of(IReadOnlyList<Advice> advice) =>
        new (string Title, IReadOnlyList<Advice> Advice)[]
        {
            ("Before you trust it", [.. advice.Where(item => item.Claim is null && item.Kind != AdviceKind.Hint)]),
            ("Advice", [.. advice.Where(item => item.Claim is null && item.Kind == AdviceKind.Hint)]),
            ("What others concluded, tested here", [.. advice.Where(item => item.Claim is not null)]),
        }.Where(section => section.Advice.Count > 0);

    /// <summary>The ratios of each method and option, theirs and ours, in a sentence each.</summary>
    public static IEnumerable<string> Beside(IReadOnlyList<PublishedBeside> beside) => beside
        .GroupBy(item => (item.Set, item.Method, item.OurMethod, item.Parameters.Options))
        .Select(group =>
        {
            string ours = group.Key.Method == group.Key.OurMethod ? "" : $" (here {group.Key.OurMethod})";
            string options = group.Key.Options is null or "SequentialScan" ? "" : $", {group.Key.Options}";
            string cases = group.Count() == 1 ? "1 common case" : $"{group.Count()} common cases";
            return $"{group.Key.Method}{ours}{options}: {Figures.Times(group.Select(item => item.Published))} there, "
                + $"{Figures.Times(group.Select(item => item.Ours))} here, {cases} ({group.Key.Set})";
        });
}
