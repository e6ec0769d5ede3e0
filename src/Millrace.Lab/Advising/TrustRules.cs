namespace Millrace.Lab.Advising;

/// <summary>What makes the whole run worth less than it looks.</summary>
internal static class TrustRules
{
    // A quarter of the machine at work on something else shows in the medians of this laboratory.
    private const double BusyPart = 0.25;

    // Ratios that people act on are often 0.9 to 1.1.
    private const double MuchNoise = 0.05;
    private const int MaxExamples = 3;

    public static IEnumerable<Advice> Apply(SituatedCases cases)
    {
        LabResults run = cases.Results;
        EngineFacts engine = run.Engine;
        if (run.Purpose == "null")
        {
            yield return Error(
                run,
                "This run measured every method against itself. It tells the noise of this machine, and nothing about methods.",
                "Measure the methods, and ask for advice about that.");
        }

        if (engine.Build == "Debug")
        {
            yield return Error(
                run, "The build was not optimised: its times are worth nothing.", "Build with -c Release and measure again.", "engine.build is Debug");
        }

        if (cases.All.Count == 0)
        {
            yield return Error(run, "No case has figures.", "Measure again; --filter may have left nothing.");
        }

        AdviceEvidence[] failed = Examples(run, item => item.Error, out int count);
        if (count > 0)
        {
            yield return Warning(
                run,
                $"{Cases(count)} failed and {(count == 1 ? "is" : "are")} missing below.",
                failed,
                "Remove the cause, or leave the method out with --filter.");
        }

        AdviceEvidence[] unverified = Examples(
            run, item => item is { Summary: not null, Verified: false } ? item.UnverifiedReason ?? "no reason given" : null, out count);
        bool any = run.Cases.Any(item => item is { Summary: not null, Verified: true });
        if (count > 0)
        {
            yield return Warning(
                run,
                any
                    ? $"{Cases(count)} did not always begin in the state that {(count == 1 ? "it states" : "they state")}, and "
                        + $"{(count == 1 ? "is" : "are")} left out below."
                    : "No case was verified: whether the file was in the page cache is not known.",
                unverified,
                any ? "Measure again when nothing else uses the disk." : "Trust no difference between hot and cold cases.");
        }

        if (run.Interrupted)
        {
            yield return Warning(
                run,
                "The run ended before it was complete: cases have fewer samples than planned, or are missing.",
                [Text($"it took {run.DurationSeconds:0} s")],
                "Let it end, or measure fewer methods with --filter.");
        }

        if (cases.All.SelectMany(item => item.Samples?.Launch ?? []).Distinct().Count() == 1)
        {
            Advice once = Warning(
                run,
                "One process measured everything. Where memory lies and what the compiler chose differs between processes, and that is "
                    + "not in the noise below.",
                [Text("every sample is of launch 0")],
                "Measure a second time into another folder, and trust what both runs say.");
            yield return once with { Check = once.Check + " --launches 3" };
        }

        // Of the minute before the run: that before a later launch is the run's own.
        if (run.Machine.LoadAverage > run.Machine.Cores * BusyPart)
        {
            yield return Warning(
                run,
                "The machine was busy with something else.",
                [Text($"{run.Machine.LoadAverage:0.00} processes wanted a processor in the minute before; it has {run.Machine.Cores}")],
                "Trust the ratios before the milliseconds; measure again when it is idle.");
        }

        // 0 phases: a file that does not say.
        if (engine is { WarmUpPhases: > 0, CompilerQuiet: false })
        {
            yield return Warning(
                run,
                "The compiler was still at work when measuring began: the first rounds may be slower than the rest.",
                [Text($"{engine.WarmUpCalls} calls of each method in the warm-up were not enough")],
                "Measure again on an idle machine.");
        }

        NoiseResult[] noisy = [.. run.Noise.Where(noise => noise.Deviation > MuchNoise).OrderByDescending(noise => noise.Deviation)];
        if (noisy.Length > 0)
        {
            yield return Warning(
                run,
                $"{noisy[0].Method} differed from itself by up to {Figures.Percent(noisy[0].Deviation)}: smaller differences between "
                    + "methods are not seen there.",
                noisy.Take(MaxExamples).Select(noise => new AdviceEvidence(
                    $"{noise.Method}/{noise.Parameters.Describe()}", $"its two copies differed by {Figures.Percent(noise.Deviation)}")),
                "Where that matters, measure again on an idle machine.");
        }

        if (engine.RuntimeSettings.Count > 0)
        {
            yield return Warning(
                run,
                "Environment variables changed how the runtime works: the figures are of that runtime, not of the usual one.",
                engine.RuntimeSettings.Select(setting => Text($"{setting.Key}={setting.Value}")),
                "Unset them, unless your program runs with them.");
        }

        foreach (string text in run.Warnings)
        {
            yield return Warning(
                run, text, [], "Bear it in mind with every figure below, or remove the cause and measure again.");
        }
    }

    private static AdviceEvidence[] Examples(LabResults run, Func<CaseResult, string?> reasonOf, out int count)
    {
        AdviceEvidence[] all =
        [
            .. from item in run.Cases
               let reason = reasonOf(item)
               where reason is not null
               select new AdviceEvidence(item, reason),
        ];
        count = all.Length;
        return count <= MaxExamples ? all : [.. all.Take(MaxExamples), Text($"and {count - MaxExamples} more")];
    }

    private static string Cases(int count) => count == 1 ? "1 case" : $"{count} cases";

    private static AdviceEvidence Text(string text) => new((string?)null, text);

    private static Advice Error(LabResults run, string statement, string action, params string[] evidence) =>
        Warning(run, statement, evidence.Select(Text), action) with { Kind = AdviceKind.Error };

    private static Advice Warning(LabResults run, string statement, IEnumerable<AdviceEvidence> evidence, string action) =>
        Advisor.Hint("trust", statement, evidence, action, null, CheckCommand.Again(run)) with { Kind = AdviceKind.Warning };
}
