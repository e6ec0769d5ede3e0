using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli;

namespace Millrace.Lab.Cli;

/// <summary>`millrace lab history`.</summary>
internal static class HistoryCommand
{
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
        var command = new Command("history", "Show cases over stored runs.") { help, folder, cases, metric, json };
        command.SetAction(parsed => HistoryRunner.Run(
            parsed.GetValue(folder)!, parsed.GetValue(cases) ?? [], parsed.GetValue(metric), parsed.GetValue(json)));
        return command;
    }
}
