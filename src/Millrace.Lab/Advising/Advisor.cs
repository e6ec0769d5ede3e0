using Millrace.Lab.Advising.Claims;
using Millrace.Lab.Advising.Rules;

namespace Millrace.Lab.Advising;

/// <summary>Makes advice from results: what is wrong with them first, then what to do, then what others concluded.</summary>
internal static class Advisor
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

    // Of ways to read bytes, a method is an arrival with a walk, and rules that know methods of files by name say nothing.
    private static readonly IAdviceRule[] BytesRules =
    [
        new BestWayRule(),
        new ByteCostRule(),
        new LinesRule(),
        new SmallestBufferRule(),
        new MemoryForSpeedRule(),
        new ProcessorTimeRule(),
    ];

    // In the order of the article.
    private static readonly IAdviceRule[] BytesClaims =
    [
        new IncrementsClaim(),
        new AsyncBytesClaim(),
        new RawBufferClaim(),
        new SpanMemoryClaim(),
        new PeakMemoryClaim(),
        new ProcessorsClaim(),
        new ForLoopClaim(),
        new ForEachReduceClaim(),
        new SameOrderClaim(),
        new WalkLimitClaim(),
        new ReadersClaim(),
    ];

    private static readonly IAdviceRule[] WritesRules =
    [
        new WriteWayRule(),
        new DurabilityPriceRule(),
        new RecordPriceRule(),
        new CopyWayRule(),
        new ScanDegreeRule(),
    ];

    /// <summary>Everything that the results suggest, the most serious first.</summary>
    public static IReadOnlyList<Advice> Advise(LabResults results)
    {
        ArgumentNullException.ThrowIfNull(results);
        var cases = new SituatedCases(results);
        Advice[] trust = [.. new TrustRule().Apply(cases)];

        // Of methods measured against themselves nothing else follows.
        IEnumerable<IAdviceRule> rules = results switch
        {
            { Purpose: not null } => [],
            { Suite: "files" } => Rules.Concat(FileClaims),
            { Suite: "bytes" } => BytesRules.Concat(BytesClaims),
            { Suite: "writes" } => WritesRules,

            // Rules that know methods of files by name would speak of wires as of ways to read.
            { Suite: "transfers" } => [],
            _ => Rules,
        };
        IEnumerable<Advice> all = trust.Concat(rules.SelectMany(rule => rule.Apply(cases)));
        return [.. all.OrderBy(advice => advice.Kind)];
    }
}
