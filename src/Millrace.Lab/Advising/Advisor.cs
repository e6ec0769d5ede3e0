using Millrace.Lab.Advising.Claims;
using Millrace.Lab.Advising.Rules;
using Millrace.Lab.Results;

namespace Millrace.Lab.Advising;

/// <summary>Makes advice from results: what is wrong with them first, then what to do, then what others concluded.</summary>
public static class Advisor
{
    private static readonly IAdviceRule[] Rules =
    [
        new BestMethodRule(),
        new SmallestBufferRule(),
        new MemoryForSpeedRule(),
        new ProcessorTimeRule(),
        new SystemCallPriceRule(),
        new MappedFillRule(),
        new ColdRule(),
    ];

    // What their authors said of reading files: of other suites it would never be told.
    private static readonly IAdviceRule[] FileClaims =
    [
        new SyncOrAsyncClaim(),
        new AsynchronousHandleClaim(),
        new AdaptersClaim(),
        new FilePipesClaim(),
        new BufferClaim(),
        new FileSizeClaim(),
        new CollectionsClaim(),
        new AllocationClaim(),
        new ProcessorsClaim(),
        new ReadersClaim(),
    ];

    /// <summary>Everything that the results suggest, the most serious first.</summary>
    public static IReadOnlyList<Advice> Advise(LabResults results)
    {
        ArgumentNullException.ThrowIfNull(results);
        var cases = new MeasuredCases(results);
        Advice[] trust = [.. new TrustRule().Apply(cases)];

        // Of methods measured against themselves nothing else follows.
        IEnumerable<IAdviceRule> rules = results.Purpose is not null ? []
            : results.Suite == "files" ? Rules.Concat(FileClaims) : Rules;
        IEnumerable<Advice> all = trust.Concat(rules.SelectMany(rule => rule.Apply(cases)));
        return [.. all.OrderBy(advice => advice.Kind)];
    }
}
