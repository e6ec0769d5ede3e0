using Millrace.Lab.Comparing;
using Millrace.Lab.Results;

namespace Millrace.Lab.Cli;

/// <summary>Reads stored runs and prints what became of them.</summary>
internal static class HistoryRunner
{
    private const string Prefix = "millrace lab history: ";
    public static int Run(string folder, IReadOnlyList<string> cases, string? metric, bool json)
    {
        MetricKind kind;
        try
        {
            kind = metric is null ? Metrics.WallNs : Metrics.Find(metric);
        }
        catch (LabException exception)
        {
            Console.Error.WriteLine(Prefix + exception.Message);
            return ExitCode.CannotStart;
        }

        ResultsFolder runs;
        try
        {
            runs = ResultsFolder.ReadAll(folder);
        }
        catch (LabException exception)
        {
            Console.Error.WriteLine(Prefix + exception.Message);
            return ExitCode.CannotCompare;
        }

        // A metric without a case means all cases: an overview has no place for it.
        IReadOnlyList<string> filters = cases.Count == 0 && metric is not null ? ["*"] : cases;
        IReadOnlyList<MachineHistory> machines = MachineHistory.Of(runs.Runs, filters, kind);
        Print(new HistoryReport(runs.Problems, machines), kind, filters, json);
        return runs.Runs.Count == 0 ? ExitCode.CannotCompare : ExitCode.Success;
    }

    private static void Print(HistoryReport report, MetricKind kind, IReadOnlyList<string> filters, bool json)
    {
        try
        {
            if (json)
            {
                Console.Out.WriteLine(ComparingJson.Write(report));
            }
            else
            {
                var printer = new HistoryPrinter(Terminal.Create(), kind);
                foreach (MachineHistory machine in report.Machines)
                {
                    printer.Write(machine);
                }

                if (filters.Count > 0 && report.Machines.Count > 0 && report.Machines.All(machine => machine.Cases.Count == 0))
                {
                    Console.Error.WriteLine($"{Prefix}no stored case is selected by {string.Join(" or ", filters)}.");
                }
            }
        }
        catch (IOException)
        {
            // Whoever read the output has gone, for example `| head`.
        }

        foreach (string problem in report.Problems)
        {
            Console.Error.WriteLine(Prefix + problem);
        }
    }
}
