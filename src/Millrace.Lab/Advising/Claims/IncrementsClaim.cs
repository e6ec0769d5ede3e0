using Millrace.Lab.Advising.Ways;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"Increments over the raw buffer are the best way by every measure."</summary>
internal sealed class IncrementsClaim : IAdviceRule
{
    // Clocks of processor time have steps, and a process is never the same size twice.
    private const double CpuTolerance = 1.05;
    private const double MemoryTolerance = 256 * 1024;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string says = "Increments over the raw buffer are the best of all ways: the others take "
            + $"{Figures.Times(Others())} the time, more processor time and more memory";
        string check = CheckCommand.Again(cases.Results, Way.Baseline, "AllAtOnce.Span", "Completion.Span", "AsyncBytes.AwaitForEach");
        (string Name, CaseResult Mine, CaseResult[] Others)[] sources =
        [
            .. from source in WaySource.Of(cases)
               let mine = source.Find(Way.Baseline)
               let others = source.Cases.Where(item => item != mine && PublishedWays.Has(item.Method)).ToArray()
               where mine is not null && others.Length > 0
               select (source.Name, mine, others),
        ];
        if (sources.Length == 0)
        {
            return
            [
                ClaimAdvice.CannotBeTold(
                    "increments", PublishedRange.UrlBytes, says, $"{Way.Baseline} and other ways of theirs", check),
            ];
        }

        var found = Comparisons.Of(
            sources.SelectMany(source => source.Others.Select(other => (other, source.Mine))), cases.Judge.Compare);
        bool minCpu = sources.All(source => source.Others.All(other => Figures.Cpu(source.Mine) is not { } mine
            || Figures.Cpu(other) is not { } their || mine <= their * CpuTolerance));
        bool minMemory = sources.All(source => source.Others.All(other => source.Mine.Summary!.PeakOverIdleBytes is not { } mine
            || other.Summary!.PeakOverIdleBytes is not { } their || mine <= their + MemoryTolerance));
        Holds holds = found.AllSlower == Holds.Yes && !(minCpu && minMemory) ? Holds.No : found.AllSlower;
        return
        [
            ClaimAdvice.Make(
                "increments",
                PublishedRange.UrlBytes,
                says,
                holds,
                $"The other ways of theirs are {found.Describe()} of {Way.Baseline}"
                    + (minCpu ? "" : "; some take less processor time")
                    + (minMemory ? "." : "; some take less memory."),
                [.. sources.SelectMany(source => Evidence(source.Mine, source.Others))],
                holds == Holds.Yes
                    ? "Handle bytes as they come, as spans of the buffer that they came into."
                    : "Handle bytes as they come. Which view of the buffer the code takes is free where the times are the same.",
                SnippetText.Of(Way.Baseline),
                check),
        ];
    }

    private static IEnumerable<double> Others() =>
        PublishedWays.Ratios("wall", way => way.ToString() == Way.Baseline ? null : Way.Of(Way.Baseline));

    private static IEnumerable<AdviceEvidence> Evidence(CaseResult mine, CaseResult[] others) =>
        new[] { mine, others.MinBy(Figures.Median)!, others.MaxBy(Figures.Median)! }.Distinct().Select((item, index) =>
            new AdviceEvidence(
                Figures.Id(item),
                Figures.Time(item)
                    + (index == 0 ? "" : $", {Figures.Ratio(Figures.Median(item) / Figures.Median(mine))} times, the "
                        + (index == 1 ? "fastest" : "slowest") + " of the others")
                    + (Figures.Cpu(item) is { } cpu ? $", {Figures.Time(cpu)} of processor time" : "")
                    + (item.Summary!.PeakOverIdleBytes is { } peak ? $", {Figures.Bytes(peak)} of peak memory over idle" : "")));
}
