namespace Millrace.Lab.Cli;

internal static class CompareCommand
{
    private const string Name = "compare";
    private const string ByTime = "time";
    private const string ByRatio = "ratio";

    private const string Details = """
        The first run is the reference for all others. On one machine, times are compared after subtracting the drift of the
        machine; between machines, ratios to the baseline and ranks. The recorded fields identify a machine, never its
        speed. Verdicts need three launches of each run.

        Examples:
          millrace lab compare results/before results/after
          millrace lab compare before.json after.json --filter "FilePipe*" --metric readCalls
          millrace lab compare results/before results/after --null results/null --json

        Exit codes:
          0    nothing is slower
          1    could not start: wrong arguments
          2    something is slower
          4    cannot compare, or not all of it, and nothing else is slower; the reason is on the error output
        """;

    public static Command Create()
    {
        var runs = new Argument<string[]>("RUN")
        {
            Description = "The reference, then one or more runs: a results.json, the folder of a run, or a folder with one per suite.",
            Arity = new ArgumentArity(2, 100),
        };
        var by = new Option<string?>("--by")
        {
            Description = "Compare by time as measured, without correcting for drift, or by ratio to the baseline (default: depends on the machines).",
            HelpName = $"{ByTime}|{ByRatio}",
        };
        by.AcceptOnlyFromAmong(ByTime, ByRatio);
        var nullRun = new Option<string?>("--null")
        {
            Description = "Require that differences exceed the noise of this run of `lab null` on the same machine.",
            HelpName = "RUN",
        };
        var metric = new Option<string[]>("--metric")
        {
            Description = "Show every case of this metric too (\"cpuNs\", \"readCalls\"); may be given several times.",
            HelpName = "NAME",
            Arity = ArgumentArity.OneOrMore,
        };
        var filter = new Option<string[]>("--filter")
        {
            Description = "Compare only these methods (\"FilePipe*\") or cases (\"FilePipe/128MiB/4096/*\"); may be given several times.",
            HelpName = "GLOB",
            Arity = ArgumentArity.OneOrMore,
        };
        var all = new Option<bool>("--all") { Description = "Also show the cases that did not change." };
        var json = new Option<bool>("--json") { Description = "Write JSON instead of tables." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command(Name, "Compare stored runs: what became faster, slower, or stayed the same.")
        {
            help, runs, by, nullRun, metric, filter, all, json,
        };
        command.SetAction(parsed => Terminal.Run(Name, () => Run(
            parsed.GetValue(runs)!,
            parsed.GetValue(nullRun),
            parsed.GetValue(metric) ?? [],
            new ComparisonOptions
            {
                By = parsed.GetValue(by) switch
                {
                    ByTime => ComparisonBasis.Time,
                    ByRatio => ComparisonBasis.Ratio,
                    _ => null,
                },
                Filters = parsed.GetValue(filter) ?? [],
            },
            parsed.GetValue(all),
            parsed.GetValue(json))));
        return command;
    }

    private static int Run(string[] paths, string? nullRun, string[] names, ComparisonOptions options, bool all, bool json)
    {
        MetricKind[] metrics = [.. names.Select(Metrics.Find)];
        List<string> problems = [];
        IReadOnlyList<StoredRun> reference = Read(paths[0], problems);
        IReadOnlyList<StoredRun> nullRuns = nullRun is null ? [] : Read(nullRun, problems);
        options = options with { Metrics = [.. Metrics.Usual.Concat(metrics).Distinct()] };
        List<RunComparison> comparisons = [];
        foreach (string path in paths.Skip(1))
        {
            IReadOnlyList<StoredRun> runs = Read(path, problems);
            if (reference.Count > 0 && runs.Count > 0)
            {
                comparisons.AddRange(Compare(paths[0], reference, path, runs, nullRuns, options, problems));
            }
        }

        int exitCode = comparisons.Exists(item => item.Count(VerdictWords.Slower) > 0) ? ExitCode.SomethingSlower
            : problems.Count > 0 ? ExitCode.CannotCompare
            : ExitCode.Success;
        Print(json, all, metrics, new ComparisonReport(exitCode, problems, comparisons));
        return exitCode;
    }

    private static IReadOnlyList<StoredRun> Read(string path, List<string> problems)
    {
        ResultsFolder folder = ResultsFolder.ReadRun(path);
        problems.AddRange(folder.Problems);
        return folder.Runs;
    }

    private static IEnumerable<RunComparison> Compare(
        string referencePath,
        IReadOnlyList<StoredRun> references,
        string path,
        IReadOnlyList<StoredRun> runs,
        IReadOnlyList<StoredRun> nullRuns,
        ComparisonOptions options,
        List<string> problems)
    {
        bool any = false;
        foreach (StoredRun run in runs)
        {
            StoredRun? reference = references.FirstOrDefault(item => item.Results.Suite == run.Results.Suite);
            if (reference is null)
            {
                continue;
            }

            any = true;
            RunComparison comparison = RunComparer.Compare(
                reference, run, options with { NullRun = NullRunOf(run, nullRuns, problems) });
            if (comparison.Impossible is { } reason)
            {
                problems.Add($"{run.Path} cannot be compared: {reason}.");
            }

            yield return comparison;
        }

        if (!any)
        {
            problems.Add($"{referencePath} and {path} have no suite in common: {Suites(references)} and {Suites(runs)}.");
        }
    }

    // The noise of another machine does not apply to this one.
    private static LabResults? NullRunOf(StoredRun run, IReadOnlyList<StoredRun> nullRuns, List<string> problems)
    {
        StoredRun? stored = nullRuns.FirstOrDefault(item => item.Results.Suite == run.Results.Suite);
        if (stored is not null && !MachineIdentity.AreSame(stored.Results.Machine, run.Results.Machine))
        {
            problems.Add($"{stored.Path} comes from another machine than {run.Path}: its noise was not used.");
            return null;
        }

        return stored?.Results;
    }

    private static string Suites(IEnumerable<StoredRun> runs) =>
        string.Join(", ", runs.Select(run => run.Results.Suite).Distinct(StringComparer.Ordinal));

    private static void Print(bool json, bool all, MetricKind[] metrics, ComparisonReport report)
    {
        Terminal.Print(() =>
        {
            if (json)
            {
                Console.Out.WriteLine(ComparingJson.Write(report));
            }
            else
            {
                var printer = new ComparePrinter(Terminal.Create(), metrics, all);
                foreach (RunComparison comparison in report.Comparisons)
                {
                    printer.Write(comparison);
                }
            }
        });
        Terminal.PrintProblems(Name, report.Problems);
    }
}
