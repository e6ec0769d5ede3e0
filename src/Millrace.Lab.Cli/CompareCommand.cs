using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli;
using Millrace.Lab.Comparing;

namespace Millrace.Lab.Cli;

/// <summary>`millrace lab compare`.</summary>
internal static class CompareCommand
{
    private const string ByTime = "time";
    private const string ByRatio = "ratio";

    private const string Details = """
        The first is the reference; each of the others is compared with it. On one machine times are compared, less what
        the machine itself drifted by; between machines ratios to the baseline, and ranks. A machine is told by its fields,
        never by its speed. Verdicts need three launches of each.

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
            Description = "By time as measured, whatever the machine did meanwhile, or by ratio to the baseline (default: as the machines ask for).",
            HelpName = $"{ByTime}|{ByRatio}",
        };
        by.AcceptOnlyFromAmong(ByTime, ByRatio);
        var nullRun = new Option<string?>("--null")
        {
            Description = "A run of `lab null` on the same machine: verdicts have to exceed its noise, too.",
            HelpName = "RUN",
        };
        var metric = new Option<string[]>("--metric")
        {
            Description = "Show every case of this metric, too (\"cpuNs\", \"readCalls\"); may be given several times.",
            HelpName = "NAME",
            Arity = ArgumentArity.OneOrMore,
        };
        var filter = new Option<string[]>("--filter")
        {
            Description = "Only these methods (\"FilePipe*\") or cases (\"FilePipe/128MiB/4096/*\"); may be given several times.",
            HelpName = "GLOB",
            Arity = ArgumentArity.OneOrMore,
        };
        var json = new Option<bool>("--json") { Description = "Write JSON instead of tables." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("compare", "Compare stored runs: what became faster, slower, or stayed the same.")
        {
            help, runs, by, nullRun, metric, filter, json,
        };
        command.SetAction(parsed => CompareRunner.Run(new CompareArguments
        {
            Runs = parsed.GetValue(runs)!,
            By = parsed.GetValue(by) switch
            {
                ByTime => ComparisonBasis.Time,
                ByRatio => ComparisonBasis.Ratio,
                _ => null,
            },
            NullRun = parsed.GetValue(nullRun),
            Metrics = parsed.GetValue(metric) ?? [],
            Filters = parsed.GetValue(filter) ?? [],
            Json = parsed.GetValue(json),
        }));
        return command;
    }
}
