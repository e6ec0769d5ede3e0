
namespace Millrace.Lab.Advising.Rules;

/// <summary>What makes the whole run worth less than it looks.</summary>
internal sealed class TrustRule : IAdviceRule
{
    // A quarter of the machine at work on something else shows in the medians of this laboratory.
    private const double BusyPart = 0.25;

    // Ratios that people act on are often 0.9 to 1.1.
    private const double MuchNoise = 0.05;
    private const int MaxExamples = 3;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        LabResults results = cases.Results;
        return new[]
        {
            Purpose(results), Build(results), Nothing(cases), Failed(results), Unverified(results), Interrupted(results),
            Launches(cases), Load(results), Compiler(results), Noise(results), Settings(results),
        }.OfType<Advice>().Concat(results.Warnings.Select(text => Make(
            results,
            AdviceKind.Warning,
            text,
            [],
            "Bear it in mind with every figure below, or remove the cause and measure again.")));
    }

    private static Advice? Purpose(LabResults results) => results.Purpose == "null"
        ? Make(
            results,
            AdviceKind.Error,
            "This run measured every method against itself. It tells the noise of this machine, and nothing about methods.",
            [],
            "Measure the methods, and ask for advice about that.")
        : null;

    private static Advice? Build(LabResults results) => results.Engine.Build == "Debug"
        ? Make(
            results,
            AdviceKind.Error,
            "The build was not optimised: its times are worth nothing.",
            [new AdviceEvidence(null, "engine.build is Debug")],
            "Build with -c Release and measure again.")
        : null;

    private static Advice? Nothing(SituatedCases cases) => cases.All.Count == 0
        ? Make(cases.Results, AdviceKind.Error, "No case has figures.", [], "Measure again; --filter may have left nothing.")
        : null;

    private static Advice? Failed(LabResults results) => Examples(
        results,
        item => item.Error,
        count => $"{Cases(count)} failed and {(count == 1 ? "is" : "are")} missing below.",
        "Remove the cause, or leave the method out with --filter.");

    private static Advice? Unverified(LabResults results)
    {
        bool any = results.Cases.Any(item => item is { Summary: not null, Verified: true });
        return Examples(
            results,
            item => item.Summary is not null && !item.Verified ? item.UnverifiedReason ?? "no reason given" : null,
            count => any
                ? $"{Cases(count)} did not always begin in the state that {(count == 1 ? "it states" : "they state")}, and "
                    + $"{(count == 1 ? "is" : "are")} left out below."
                : "No case was verified: whether the file was in the page cache is not known.",
            any ? "Measure again when nothing else uses the disk." : "Trust no difference between hot and cold cases.");
    }

    private static Advice? Interrupted(LabResults results) => results.Interrupted
        ? Make(
            results,
            AdviceKind.Warning,
            "The run ended before it was complete: cases have fewer samples than planned, or are missing.",
            [new AdviceEvidence(null, $"it took {results.DurationSeconds:0} s")],
            "Let it end, or measure fewer methods with --filter.")
        : null;

    private static Advice? Launches(SituatedCases cases)
    {
        int launches = cases.All.SelectMany(item => item.Samples?.Launch ?? []).Distinct().Count();
        return launches == 1
            ? Make(
                cases.Results,
                AdviceKind.Warning,
                "One process measured everything. Where memory lies and what the compiler chose differs between processes, "
                    + "and that is not in the noise below.",
                [new AdviceEvidence(null, "every sample is of launch 0")],
                "Measure a second time into another folder, and trust what both runs say.",
                " --launches 3")
            : null;
    }

    private static Advice? Load(LabResults results)
    {
        // Of the minute before the run: that before a later launch is the run's own.
        double? load = results.Machine.LoadAverage;
        return load > results.Machine.Cores * BusyPart
            ? Make(
                results,
                AdviceKind.Warning,
                "The machine was busy with something else.",
                [
                    new AdviceEvidence(
                        null, $"{load:0.00} processes wanted a processor in the minute before; it has {results.Machine.Cores}"),
                ],
                "Trust the ratios before the milliseconds; measure again when it is idle.")
            : null;
    }

    // 0 phases: a file that does not say.
    private static Advice? Compiler(LabResults results) => results.Engine is { WarmUpPhases: > 0, CompilerQuiet: false }
        ? Make(
            results,
            AdviceKind.Warning,
            "The compiler was still at work when measuring began: the first rounds may be slower than the rest.",
            [new AdviceEvidence(null, $"{results.Engine.WarmUpCalls} calls of each method in the warm-up were not enough")],
            "Measure again on an idle machine.")
        : null;

    private static Advice? Noise(LabResults results)
    {
        NoiseResult[] noisy = [.. results.Noise.Where(noise => noise.Deviation > MuchNoise).OrderByDescending(noise => noise.Deviation)];
        return noisy.Length > 0
            ? Make(
                results,
                AdviceKind.Warning,
                $"{noisy[0].Method} differed from itself by up to {Figures.Percent(noisy[0].Deviation)}: smaller differences "
                    + "between methods are not seen there.",
                [
                    .. noisy.Take(MaxExamples).Select(noise => new AdviceEvidence(
                        $"{noise.Method}/{noise.Parameters.Describe()}", $"its two copies differed by {Figures.Percent(noise.Deviation)}")),
                ],
                "Where that matters, measure again on an idle machine.")
            : null;
    }

    private static Advice? Settings(LabResults results) => results.Engine.RuntimeSettings.Count > 0
        ? Make(
            results,
            AdviceKind.Warning,
            "Environment variables changed how the runtime works: the figures are of that runtime, not of the usual one.",
            [.. results.Engine.RuntimeSettings.Select(setting => new AdviceEvidence(null, $"{setting.Key}={setting.Value}"))],
            "Unset them, unless your program runs with them.")
        : null;

    private static Advice? Examples(
        LabResults results, Func<CaseResult, string?> reasonOf, Func<int, string> statement, string action)
    {
        AdviceEvidence[] all =
        [
            .. from item in results.Cases
               let reason = reasonOf(item)
               where reason is not null
               select new AdviceEvidence(Figures.Id(item), reason),
        ];
        return all.Length > 0
            ? Make(
                results,
                AdviceKind.Warning,
                statement(all.Length),
                all.Length <= MaxExamples
                    ? all
                    : [.. all.Take(MaxExamples), new AdviceEvidence(null, $"and {all.Length - MaxExamples} more")],
                action)
            : null;
    }

    private static string Cases(int count) => count == 1 ? "1 case" : $"{count} cases";

    private static Advice Make(
        LabResults results,
        AdviceKind kind,
        string statement,
        IReadOnlyList<AdviceEvidence> evidence,
        string action,
        string more = "") => new()
        {
            Topic = "trust",
            Kind = kind,
            Statement = statement,
            Evidence = evidence,
            Action = action,
            Check = CheckCommand.Again(results) + more,
        };
}
