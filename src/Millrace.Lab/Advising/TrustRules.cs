namespace Millrace.Lab.Advising;

/// <summary>What makes the whole run worth less than it looks.</summary>
internal static class TrustRules
{
    // A quarter of the machine at work on something else shows in the medians of this laboratory.
    private const double BusyPart = IdleMachine.BusyPart;

    // Ratios that people act on are often 0.9 to 1.1.
    private const double MuchNoise = 0.05;
    private const int MaxExamples = 3;

    public static IEnumerable<Advice> Apply(SituatedCases cases)
    {
        LabResults run = cases.Results;
        EngineFacts engine = run.Engine;
        AdviceEvidence[] failed = Evidence(run, item => item.Error);
        AdviceEvidence[] unverified = Evidence(
            run, item => item is { Summary: not null, Verified: false } ? item.UnverifiedReason ?? "no reason given" : null);
        bool anyVerified = run.Cases.Any(item => item is { Summary: not null, Verified: true });

        // The user changed no setting that the suite makes for all its processes.
        IReadOnlyDictionary<string, string>? own = SuiteCatalog.All.FirstOrDefault(suite => suite.Name == run.Suite)?.Environment;
        KeyValuePair<string, string>[] settings = [.. engine.RuntimeSettings.Where(setting => own?.Contains(setting) != true)];
        NoiseResult[] noisy = [.. run.Noise.Where(noise => noise.Deviation > MuchNoise).OrderByDescending(noise => noise.Deviation)];
        double? others = run.Launches.Max(launch => launch.OthersShare);
        AdviceEvidence[] modes = Evidence(run, item => SampleShapes.Modes(item));
        AdviceEvidence[] outliers = Evidence(run, item => SampleShapes.Outliers(item));

        // Older files have only the load of the minute before the run; that before a later launch is the run's own.
        string? busy = others > BusyPart ? $"other processes used {Figures.Percent(others.Value)} of the processors' time while it measured"
            : others is null && run.Machine.LoadAverage > run.Machine.Cores * BusyPart
                ? $"{run.Machine.LoadAverage:0.00} processes wanted a processor in the minute before; it has {run.Machine.Cores}"
                : null;
        Finding?[] findings =
        [
            run.Purpose != "null" ? null : new(
                "This run measured every method against itself. It shows the noise of this machine, and nothing about methods.",
                "Measure the methods, and run advise on those results.",
                AdviceKind.Error),
            engine.Build != "Debug" ? null : new(
                "The build was not optimised: its times mean nothing.",
                "Build with -c Release and measure again.",
                AdviceKind.Error,
                Text("engine.build is Debug")),
            cases.All.Count > 0 ? null : new(
                "No case has figures.", "Measure again; --filter may have left nothing.", AdviceKind.Error),
            failed.Length == 0 ? null : new(
                Cases(failed, "failed and is missing below.", "failed and are missing below."),
                "Remove the cause, or leave the method out with --filter.",
                Evidence: Examples(failed)),
            unverified.Length == 0 ? null : new(
                anyVerified
                    ? Cases(
                        unverified,
                        "did not always begin in its declared state, and is left out below.",
                        "did not always begin in their declared state, and are left out below.")
                    : "No case was verified: whether the file was in the page cache is not known.",
                anyVerified ? "Measure again when nothing else uses the disk." : "Trust no difference between hot and cold cases.",
                Evidence: Examples(unverified)),
            !run.Interrupted ? null : new(
                "The run ended before it was complete: cases have fewer samples than planned, or are missing.",
                "Let it end, or measure fewer methods with --filter.",
                Evidence: Text($"it took {run.DurationSeconds:0} s")),
            cases.All.SelectMany(item => item.Samples?.Launch ?? []).Distinct().Count() != 1 ? null : new(
                "One process measured everything. The layout of memory and the compiler's choices differ between processes, which is "
                    + "not in the noise below.",
                "Measure a second time into another folder, and trust only the results that both runs confirm.",
                Evidence: Text("every sample is of launch 0"),
                Again: " --launches 3"),

            busy is null ? null : new(
                "The machine was busy with something else.",
                "Trust the ratios before the milliseconds; measure again when it is idle.",
                Evidence: Text(busy)),

            // 0 phases: a file that does not say.
            engine is not { WarmUpPhases: > 0, CompilerQuiet: false } ? null : new(
                "The compiler was still at work when measuring began: the first rounds may be slower than the rest.",
                "Measure again on an idle machine.",
                Evidence: Text($"{engine.WarmUpCalls} calls of each method in the warm-up were not enough")),
            noisy.Length == 0 ? null : new(
                $"{noisy[0].Method} differed from itself by up to {Figures.Percent(noisy[0].Deviation)}: smaller differences between "
                    + "methods are not visible there.",
                "Where that matters, measure again on an idle machine.",
                Evidence:
                [
                    .. noisy.Take(MaxExamples).Select(noise => new AdviceEvidence(
                        $"{noise.Method}/{noise.Parameters.Describe()}", $"its two copies differed by {Figures.Percent(noise.Deviation)}")),
                ]),
            modes.Length == 0 ? null : new(
                Cases(modes, "has two modes: its median is a matter of chance.", "have two modes: their medians are a matter of chance."),
                "Look at all samples of these cases before you use their figures.",
                Evidence: Examples(modes)),
            outliers.Length == 0 ? null : new(
                Cases(outliers, "has many outliers.", "have many outliers."),
                "The medians leave them out; who waits for the slowest reads the 99th percentile instead.",
                Evidence: Examples(outliers)),
            InCache(run),
            settings.Length == 0 ? null : new(
                "Environment variables changed how the runtime works: the figures are of that runtime, not of the usual one.",
                "Unset them, unless your program runs with them.",
                Evidence: [.. settings.SelectMany(setting => Text($"{setting.Key}={setting.Value}"))]),
            .. run.Warnings.Select(text => new Finding(
                text, "Bear it in mind with every figure below, or remove the cause and measure again.")),
        ];
        return findings.OfType<Finding>().Select(finding => new Advice(
            Advice.Trust, finding.Kind, finding.Statement, finding.Evidence ?? [], finding.Action, null, CheckCommand.Again(run) + finding.Again));
    }

    // Reading a file that is in the processor's cache is not representative of one that is in memory.
    private static Finding? InCache(LabResults run)
    {
        long[] files =
        [
            .. run.Cases.Where(item => run.Suite is "files" or "bytes" && item.Parameters is { Cache: CacheNames.Hot, Bytes: not null })
                .Select(item => item.Parameters.Bytes!.Value).Distinct().Order(),
        ];
        if (files.Length == 0 || run.Machine.CacheBytes is not { } cache || Array.Find(files, bytes => bytes >= Figures.MainFile) is var main
            && (main == 0 ? files[^1] : main) > cache)
        {
            return null;
        }

        string[] within = [.. files.Where(bytes => bytes <= cache).Select(bytes => ByteSize.ToText(bytes))];
        return new(
            $"The last-level cache ({ByteSize.ToText(cache)}) holds the whole file ({string.Join(", ", within)}): hot cases may never read memory.",
            files[^1] > cache
                ? $"For larger files, read the cases of {ByteSize.ToText(files[^1])}."
                : "For larger files, measure one of them with --file.",
            Evidence: Text($"a machine with other tenants may have less of it; {within[^1]} of {ByteSize.ToText(cache)}"));
    }

    private static AdviceEvidence[] Evidence(LabResults run, Func<CaseResult, string?> reasonOf) =>
    [
        .. from item in run.Cases
           let reason = reasonOf(item)
           where reason is not null
           select new AdviceEvidence(item, reason),
    ];

    private static AdviceEvidence[] Examples(AdviceEvidence[] all) =>
        all.Length <= MaxExamples ? all : [.. all.Take(MaxExamples), .. Text($"and {all.Length - MaxExamples} more")];

    private static string Cases(AdviceEvidence[] all, string one, string many) =>
        all.Length == 1 ? $"1 case {one}" : $"{all.Length} cases {many}";

    private static AdviceEvidence[] Text(string text) => [new(text)];

    private sealed record Finding(
        string Statement,
        string Action,
        AdviceKind Kind = AdviceKind.Warning,
        IReadOnlyList<AdviceEvidence>? Evidence = null,
        string Again = "");
}
