using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli;
using Millrace.Lab.Reporting;

namespace Millrace.Lab.Cli;

/// <summary>`millrace lab report`.</summary>
internal static class ReportCommand
{
    private const string Description = "Rebuild report.html and report.md from results that were measured before.";

    private const string Details = """
        Reads results.json of every folder given, or the files themselves, and writes one report.html and one report.md
        with a section per run. A file that cannot be read is named, and the others are used. Nothing is measured.

        Examples:
          millrace lab report results/latest
          millrace lab report results/before results/after --out results/both
          millrace lab report results/latest --table README.md

        Exit codes:
          0    the report was written
          1    nothing was written: no results could be read, or the folder cannot be written
        """;

    public static Command Create()
    {
        var sources = new Argument<string[]>("DIR")
        {
            Description = "Folders with a results.json, or with one for every suite, or such files.",
            Arity = ArgumentArity.OneOrMore,
        };
        var output = new Option<string?>("--out")
        {
            Description = "Where report.html and report.md go (default: the first DIR).",
            HelpName = "DIR",
        };
        var table = new Option<string?>("--table")
        {
            Description = "A Markdown file, for example a README: its table between the lines "
                + $"\"{SummaryTable.Begin}\" and \"{SummaryTable.End}\" is written anew from the first DIR.",
            HelpName = "FILE",
        };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("report", Description) { help, sources, output, table };
        command.SetAction(parsed => ReportRunner.Run(parsed.GetValue(sources)!, parsed.GetValue(output), parsed.GetValue(table)));
        return command;
    }
}
