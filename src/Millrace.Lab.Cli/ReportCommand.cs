using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli;
using Millrace.Lab.Reporting;
using Millrace.Lab.Results;

namespace Millrace.Lab.Cli;

/// <summary>`millrace lab report`.</summary>
internal static class ReportCommand
{
    private const string Description = "Rebuild report.html and report.md from stored results.";

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
            Description = "Write report.html and report.md to this folder (default: the first DIR).",
            HelpName = "DIR",
        };
        var table = new Option<string?>("--table")
        {
            Description = "Update the table in this Markdown file, between the lines "
                + $"\"{SummaryTable.Begin}\" and \"{SummaryTable.End}\", from the first DIR.",
            HelpName = "FILE",
        };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("report", Description) { help, sources, output, table };
        command.SetAction(parsed => Run(parsed.GetValue(sources)!, parsed.GetValue(output), parsed.GetValue(table)));
        return command;
    }

    private static int Run(string[] sources, string? output, string? table)
    {
        try
        {
            LabResults[] runs = [.. sources.SelectMany(Read)];
            if (runs.Length == 0)
            {
                Console.Error.WriteLine("millrace lab report: no results to report; nothing was written.");
                return ExitCode.CannotStart;
            }

            string folder = OutputFolder.Prepare(output ?? FolderOf(sources[0]));
            foreach (string path in ReportWriter.Write(folder, runs))
            {
                Console.WriteLine($"Report:  {path}");
            }

            if (table is not null)
            {
                WriteTable(table, runs[0]);
            }

            return ExitCode.Success;
        }
        catch (LabException exception)
        {
            Console.Error.WriteLine($"millrace lab report: {exception.Message}");
            return ExitCode.CannotStart;
        }
    }

    private static void WriteTable(string path, LabResults run)
    {
        try
        {
            File.WriteAllText(path, SummaryTable.PutInto(File.ReadAllText(path).ReplaceLineEndings("\n"), run));
            Console.WriteLine($"Table:   {path}");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"The table cannot be put into {path}: {exception.Message}", exception);
        }
    }

    // A damaged file does not hide the others.
    private static IEnumerable<LabResults> Read(string source)
    {
        try
        {
            ResultsFolder read = ResultsFolder.ReadRun(source);
            foreach (string problem in read.Problems)
            {
                Console.Error.WriteLine($"millrace lab report: {problem}");
            }

            return read.Runs.Select(run => run.Results);
        }
        catch (LabException exception)
        {
            Console.Error.WriteLine($"millrace lab report: {exception.Message}");
            return [];
        }
    }

    private static string FolderOf(string source) =>
        Directory.Exists(source) ? source : Path.GetDirectoryName(Path.GetFullPath(source))!;
}
