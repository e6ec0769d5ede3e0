namespace Millrace.Lab.Cli;

internal static class HistoryCommand
{
    private const string Name = "history";
    private const string Details = """
        Reads every JSON file in the folder and below. Runs are grouped by machine and suite and ordered by time; each is
        compared with the one before, as `lab compare` does. Files that cannot be used are named on the error output.

        Examples:
          millrace lab history results
          millrace lab history results --case "FilePipe/128MiB/4096/*"
          millrace lab history results --case "FilePipe*" --metric allocatedBytes --json

        Exit codes:
          0    shown
          1    could not start: wrong arguments
          4    no file could be used; the reasons are on the error output
        """;

    public static Command Create()
    {
        var folder = new Argument<string>("DIR") { Description = "A folder with stored runs." };
        var cases = new Option<string[]>("--case")
        {
            Description = "Show these cases run by run (\"FilePipe*\", \"FilePipe/128MiB/4096/*\"); may be given several times.",
            HelpName = "GLOB",
            Arity = ArgumentArity.OneOrMore,
        };
        var metric = new Option<string?>("--metric")
        {
            Description = "The metric to show (default: wallNs, the time).",
            HelpName = "NAME",
        };
        var json = new Option<bool>("--json") { Description = "Write JSON instead of tables." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command(Name, "Show how cases changed over stored runs.") { help, folder, cases, metric, json };
        command.SetAction(parsed => Terminal.Run(Name, () => Run(
            parsed.GetValue(folder)!, parsed.GetValue(cases) ?? [], parsed.GetValue(metric), parsed.GetValue(json))));
        return command;
    }

    private static int Run(string folder, string[] cases, string? metric, bool json)
    {
        MetricKind kind = metric is null ? Metrics.WallNs : Metrics.Find(metric);
        ResultsFolder runs = ResultsFolder.ReadAll(folder);

        // A metric without a case means all cases: an overview has no place for it.
        IReadOnlyList<string> filters = cases.Length == 0 && metric is not null ? ["*"] : cases;
        IReadOnlyList<MachineHistory> machines = MachineHistory.Of(runs.Runs, filters, kind);
        Print(new HistoryReport(runs.Problems, machines), kind, filters, json);
        return runs.Runs.Count == 0 ? ExitCode.CannotCompare : ExitCode.Success;
    }

    private static void Print(HistoryReport report, MetricKind kind, IReadOnlyList<string> filters, bool json)
    {
        Terminal.Print(() =>
        {
            if (json)
            {
                Console.Out.WriteLine(ComparingJson.Write(report));
                return;
            }

            var printer = new HistoryPrinter(Terminal.Create(), kind);
            foreach (MachineHistory machine in report.Machines)
            {
                printer.Write(machine);
            }
        });
        bool noCase = !json && filters.Count > 0 && report.Machines.Count > 0 && report.Machines.All(machine => machine.Cases.Count == 0);
        Terminal.PrintProblems(
            Name,
            report.Problems.Concat(noCase ? [$"no stored case is selected by {string.Join(" or ", filters)}."] : []));
    }
}
