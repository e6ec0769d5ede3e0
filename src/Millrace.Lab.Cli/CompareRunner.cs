using Millrace.Lab.Comparing;
using Millrace.Lab.Results;

namespace Millrace.Lab.Cli;

/// <summary>Reads, compares and prints.</summary>
internal static class CompareRunner
{
    private const string Prefix = "millrace lab compare: ";
    public static int Run(CompareArguments arguments)
    {
        MetricKind[] metrics;
        try
        {
            metrics = [.. arguments.Metrics.Select(Metrics.Find)];
        }
        catch (LabException exception)
        {
            Console.Error.WriteLine(Prefix + exception.Message);
            return ExitCode.CannotStart;
        }

        List<string> problems = [];
        IReadOnlyList<StoredRun> reference = Read(arguments.Runs[0], problems);
        IReadOnlyList<StoredRun> nullRuns = arguments.NullRun is null ? [] : Read(arguments.NullRun, problems);
        var options = new ComparisonOptions
        {
            By = arguments.By,
            Metrics = [.. Metrics.Usual.Concat(metrics).Distinct()],
            Filters = arguments.Filters,
        };
        List<RunComparison> comparisons = [];
        foreach (string path in arguments.Runs.Skip(1))
        {
            IReadOnlyList<StoredRun> runs = Read(path, problems);
            if (reference.Count > 0 && runs.Count > 0)
            {
                comparisons.AddRange(Compare(arguments.Runs[0], reference, path, runs, nullRuns, options, problems));
            }
        }

        int exitCode = comparisons.Exists(item => item.Count(VerdictWords.Slower) > 0) ? ExitCode.SomethingSlower
            : problems.Count > 0 ? ExitCode.CannotCompare
            : ExitCode.Success;
        Print(arguments, metrics, new ComparisonReport(exitCode, problems, comparisons));
        return exitCode;
    }

    private static IReadOnlyList<StoredRun> Read(string path, List<string> problems)
    {
        try
        {
            ResultsFolder folder = ResultsFolder.ReadRun(path);
            problems.AddRange(folder.Problems);
            return folder.Runs;
        }
        catch (LabException exception)
        {
            problems.Add(exception.Message);
            return [];
        }
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

    // Another machine's noise says nothing about this one's.
    private static LabResults? NullRunOf(StoredRun run, IReadOnlyList<StoredRun> nullRuns, List<string> problems)
    {
        StoredRun? stored = nullRuns.FirstOrDefault(item => item.Results.Suite == run.Results.Suite);
        if (stored is not null && !MachineIdentity.AreSame(stored.Results.Machine, run.Results.Machine))
        {
            problems.Add($"{stored.Path} is of another machine than {run.Path}: its noise was not used.");
            return null;
        }

        return stored?.Results;
    }

    private static string Suites(IEnumerable<StoredRun> runs) =>
        string.Join(", ", runs.Select(run => run.Results.Suite).Distinct(StringComparer.Ordinal));

    private static void Print(CompareArguments arguments, MetricKind[] metrics, ComparisonReport report)
    {
        try
        {
            if (arguments.Json)
            {
                Console.Out.WriteLine(ComparingJson.Write(report));
            }
            else
            {
                var printer = new ComparePrinter(Terminal.Create(), metrics);
                foreach (RunComparison comparison in report.Comparisons)
                {
                    printer.Write(comparison);
                }
            }
        }
        catch (IOException)
        {
            // Whoever read the output has gone, for example `| head`. The exit code is what counts.
        }

        foreach (string problem in report.Problems)
        {
            Console.Error.WriteLine(Prefix + problem);
        }
    }
}
